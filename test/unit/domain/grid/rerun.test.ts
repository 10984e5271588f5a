import { describe, expect, it } from '@jest/globals';
import type { RunTrialResult } from '../../../../src/domain/grid/contracts.js';
import { rerunAfter } from '../../../../src/domain/grid/rerun.js';
import type { ResumeAdvice } from '../../../../src/domain/trial/resume.js';

const NOW = Date.parse('2030-01-01T10:00:00Z');
const MINUTE = 60_000;

function voided(code: string, resume?: ResumeAdvice): RunTrialResult {
  return {
    ...{
      status: 'void',
      passed: null,
      code,
      error: 'said',
      hint: null,
      costUsd: null,
      stamp: null,
    },
    ...(resume === undefined ? {} : { resume }),
  };
}

describe('a cell after its attempt', () => {
  it.each<[string, RunTrialResult, number, number | null]>([
    ['a host death: at once', voided('supervisor_died'), 0, 0],
    ['a host death, for the third time: not any more', voided('supervisor_died'), 2, null],
    ['a test that does not run: not again', voided('suite_did_not_run'), 0, null],
    ['an unknown code: not again', voided('whatever'), 0, null],
    ['a result: not again', { ...voided('quota'), status: 'valid', code: null }, 0, null],
    [
      'an overload: in half a minute',
      voided('overload', { kind: 'retry', scope: 'provider' }),
      0,
      30_000,
    ],
    [
      'an overload again: in two minutes',
      voided('overload', { kind: 'retry', scope: 'provider' }),
      1,
      120_000,
    ],
    [
      'something about this one trial: at once',
      voided('nothing_done', { kind: 'retry', scope: 'trial' }),
      0,
      0,
    ],
    [
      'a quota: when it says',
      voided('quota', { kind: 'wait', scope: 'account', at: '2030-01-01T12:01:00Z' }),
      0,
      121 * MINUTE,
    ],
    [
      'a quota whose time has come: at once',
      voided('quota', { kind: 'wait', scope: 'account', at: '2030-01-01T09:00:00Z' }),
      0,
      0,
    ],
    [
      'a quota without a reset',
      voided('quota', { kind: 'probe', scope: 'account' }),
      0,
      5 * MINUTE,
    ],
    [
      'a quota without a reset again',
      voided('quota', { kind: 'probe', scope: 'account' }),
      1,
      60 * MINUTE,
    ],
    [
      'used up for good: not again',
      voided('quota', { kind: 'stop-grid', scope: 'account' }),
      0,
      null,
    ],
    [
      'no such model: not again',
      voided('model_unavailable', { kind: 'stop-arm', scope: 'model' }),
      0,
      null,
    ],
  ])('%s', (_name, result, attempt, waitMs) => {
    expect(rerunAfter(result, attempt, NOW)?.waitMs ?? null).toBe(waitMs);
  });

  it('says why the grid stands still', () => {
    const at = '2030-01-01T12:01:00Z';
    const until = rerunAfter(voided('quota', { kind: 'wait', scope: 'account', at }), 0, NOW);
    expect(until?.reason).toBe(`quota: the grid goes on at ${at}`);
    const unknown = rerunAfter(voided('quota', { kind: 'probe', scope: 'account' }), 0, NOW);
    expect(unknown?.reason).toBe('quota: the next try is in 5 min');
  });
});
