import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RunTrialResult } from '../../../../src/domain/grid/contracts.js';
import {
  countCell,
  EMPTY_COUNTERS,
  gridResult,
  MAX_LISTED_FAILURES,
} from '../../../../src/domain/grid/counters.js';

const result = (part: Partial<RunTrialResult>): RunTrialResult => ({
  status: 'valid',
  passed: null,
  code: null,
  error: null,
  hint: null,
  costUsd: null,
  stamp: null,
  ...part,
});

const PASSED = result({ passed: true, costUsd: 0.5 });
const FAILED = result({ passed: false });
const VOID = result({ status: 'void', code: 'quota', costUsd: 0.25 });
const UNGRADED = result({ status: 'ungraded', code: 'ungraded' });
const NOT_STARTED = result({ status: 'not-started', code: 'prompt_missing' });
const ALREADY_DONE = result({ status: 'already-done' });

const count = (results: readonly RunTrialResult[], total = results.length) =>
  results.reduce(countCell, { ...EMPTY_COUNTERS, total });

const failure = {
  task: 't',
  agent: 'a',
  condition: 'c',
  code: 'quota',
  error: 'used up',
  hint: null,
};

describe('the counters of a grid', () => {
  it.each([
    ['a pass', PASSED, { passed: 1, spentUsd: 0.5 }],
    ['a failure of the agent', FAILED, { failed: 1 }],
    ['a result that says nothing about passing', result({}), { failed: 1 }],
    ['a void', VOID, { withoutResult: 1, consecutiveVoids: 1, spentUsd: 0.25 }],
    ['an ungraded trial', UNGRADED, { withoutResult: 1, consecutiveVoids: 1 }],
    ['a cell that could not start', NOT_STARTED, { withoutResult: 1 }],
    ['a cell that another grid finished', ALREADY_DONE, { alreadyDone: 1 }],
  ])('move by one for %s', (_name, trial, change) => {
    expect(count([trial])).toEqual({ ...EMPTY_COUNTERS, total: 1, attempted: 1, ...change });
  });

  it('start to count voids anew after a result of any kind', () => {
    expect(count([VOID, UNGRADED]).consecutiveVoids).toBe(2);
    expect(count([VOID, VOID, PASSED]).consecutiveVoids).toBe(0);
    expect(count([VOID, FAILED, VOID]).consecutiveVoids).toBe(1);
    // Neither says anything about the machine.
    expect(count([VOID, NOT_STARTED, ALREADY_DONE, VOID]).consecutiveVoids).toBe(2);
  });

  it('add up to the cells that were attempted, whatever came', () => {
    const any = fc.constantFrom(PASSED, FAILED, VOID, UNGRADED, NOT_STARTED, ALREADY_DONE);
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), (results) => {
        const counters = count(results);
        const { passed, failed, withoutResult, alreadyDone } = counters;
        expect(passed + failed + withoutResult + alreadyDone).toBe(results.length);
        expect(counters.attempted).toBe(results.length);
        const failures = Array.from({ length: withoutResult }, () => failure);
        expect(gridResult(counters, failures, null)).toMatchObject({
          total: results.length,
          ran: passed + failed,
          ok: withoutResult === 0,
          passed,
          failed,
        });
      }),
    );
  });
});

describe('the result of a grid', () => {
  it('is ok when every cell has its result, and a bug that stays is a result', () => {
    expect(gridResult(count([PASSED, FAILED]), [], null)).toEqual({
      total: 2,
      ran: 2,
      ok: true,
      passed: 1,
      failed: 1,
      failures: [],
      failuresOmitted: 0,
      stopped: null,
      stoppedReason: null,
    });
    expect(gridResult(EMPTY_COUNTERS, [], null)).toMatchObject({ total: 0, ran: 0, ok: true });
  });

  it('is not ok with a cell that has none: ran is total less the failures', () => {
    expect(gridResult(count([PASSED, VOID, NOT_STARTED]), [failure, failure], null)).toMatchObject({
      total: 3,
      ran: 1,
      ok: false,
      failures: [failure, failure],
      failuresOmitted: 0,
    });
  });

  it.each(['red', 'rejected', 'expired', 'cancelled'] as const)(
    'is not ok when it stopped: %s; only attempted cells ran',
    (stopped) => {
      expect(gridResult({ ...EMPTY_COUNTERS, total: 8 }, [], stopped)).toMatchObject({
        total: 8,
        ran: 0,
        ok: false,
        stopped,
      });
      expect(gridResult(count([PASSED, VOID], 8), [failure], stopped)).toMatchObject({
        total: 8,
        ran: 1,
        ok: false,
      });
    },
  );

  it('lists the first failures and counts the rest', () => {
    const voids = Array.from({ length: 130 }, () => VOID);
    const failures = voids.map((_void, index) => ({ ...failure, task: `t${index}` }));
    const { failures: listed, failuresOmitted } = gridResult(count(voids), failures, null);
    expect(listed).toEqual(failures.slice(0, MAX_LISTED_FAILURES));
    expect(failuresOmitted).toBe(30);
    // Only the listed ones are carried from run to run.
    expect(gridResult(count(voids), listed, null).failuresOmitted).toBe(30);
  });
});
