import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenExperiment } from '../../../../src/client/grid/prepare.js';
import { printEnd } from '../../../../src/client/grid/render-result.js';
import type {
  CellFailure,
  GridCounters,
  GridState,
} from '../../../../src/domain/grid/contracts.js';
import { EMPTY_COUNTERS, gridResult } from '../../../../src/domain/grid/counters.js';
import { stateLayout } from '../../../../src/storage/state-layout.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';
import { experimentOf } from '../../../fixtures/plan-experiment.js';
import { temporaryFolder } from '../../../fixtures/results-folder.js';

type End = Parameters<typeof printEnd>[2];

const GRID = { workflowId: 'llmx-grid-x', uiUrl: 'http://127.0.0.1:1/w' };
const NOTHING: End = { kind: 'nothing' };

const failure = (task: string): CellFailure => ({
  task,
  agent: 'nop',
  condition: 'plain',
  code: 'quota',
  error: 'used up',
  hint: 'wait, then: llmx-client start-grid',
});

const counters = (part: Partial<GridCounters>): GridCounters => ({ ...EMPTY_COUNTERS, ...part });

const ended = (
  part: Partial<GridCounters>,
  stopped: 'red' | 'rejected' | 'expired' | 'cancelled' | null = null,
  failures: readonly CellFailure[] = [],
): End => ({ kind: 'result', result: gridResult(counters(part), failures, stopped) });

const paused = (part: Partial<GridCounters>): End => {
  const state: Partial<GridState> = { phase: 'paused', counters: counters(part), failures: [] };
  return { kind: 'paused', state: state as GridState };
};

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** What the command prints, and the exit code it asks for. */
async function printed(end: End, json = false) {
  const { cli, captured } = capturedCli({ cwd: dir });
  const open: OpenExperiment = {
    dir,
    text: '',
    experiment: experimentOf(),
    layout: stateLayout(join(dir, 'state')),
    hostId: 'host',
    key: 'shape-1',
  };
  const exit = await printEnd(cli, open, end, json, GRID).then(
    () => 0,
    (error: unknown) => (error as { exitCode?: number }).exitCode,
  );
  return { exit, ...captured() };
}

const ALL_DONE = { total: 2, attempted: 2, passed: 1, failed: 1 };
const ONE_VOID = { total: 2, attempted: 2, passed: 1, withoutResult: 1 };

describe('the exit code of a grid that was followed', () => {
  it.each<readonly [string, End, number]>([
    ['all cells have their result', ended(ALL_DONE), 0],
    ['there was nothing to do', NOTHING, 0],
    ['a cell has none', ended(ONE_VOID, null, [failure('t')]), 5],
    ['it was cancelled', ended({ total: 2, attempted: 1, passed: 1 }, 'cancelled'), 5],
    ['it is paused', paused({ total: 2, attempted: 1, passed: 1 }), 5],
    ['its preflight is RED', ended({ total: 2 }, 'red'), 3],
    ['it was rejected', ended({ total: 2 }, 'rejected'), 3],
    ['nobody answered in time', ended({ total: 2 }, 'expired'), 3],
  ])('when %s', async (_name, end, exit) => {
    expect((await printed(end)).exit).toBe(exit);
    const json = await printed(end, true);
    expect(json.exit).toBe(exit);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: exit === 0 });
    expect(json.stderr).toBe('');
  });
});

describe('the result of a grid', () => {
  it('has the documented shape as JSON', async () => {
    const { stdout } = await printed(ended(ONE_VOID, null, [failure('t')]), true);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      kind: 'gridResult',
      total: 2,
      ran: 1,
      ok: false,
      passed: 1,
      failed: 0,
      failures: [failure('t')],
      failuresOmitted: 0,
      stopped: null,
      stoppedReason: null,
      workflowId: 'llmx-grid-x',
    });
  });

  it('is a sentence, the report and the Web UI for a person', async () => {
    const { stdout, stderr } = await printed(ended(ALL_DONE));
    expect(stdout).toContain(
      '\n2 of 2 cells ran: 1 passed, 1 failed, 0 without a result\nreport: ',
    );
    expect(stdout).toMatch(/\nweb: {4}http:\/\/127\.0\.0\.1:1\/w\n$/);
    expect(stderr).toBe('');
  });

  it('says that nothing was left to do', async () => {
    expect((await printed(NOTHING)).stdout).toContain('\nnothing left to do\nreport: ');
  });

  it('names the first cells without a result on stderr, and the next command', async () => {
    const failures = Array.from({ length: 14 }, (_, index) => failure(`t${index}`));
    const end = ended({ total: 14, attempted: 14, withoutResult: 14 }, null, failures);
    const { stdout, stderr } = await printed(end);
    expect(stderr.match(/^no result: /gm)).toHaveLength(10);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'no result: t0 / nop / plain: quota: used up',
      '      next: wait, then: llmx-client start-grid',
    ]);
    expect(stdout).toContain('0 of 14 cells ran: 0 passed, 0 failed, 14 without a result');
    expect(stdout).toMatch(/\nthen: llmx-client start-grid\n$/);
  });

  it('tells how to go on after a pause and after a stop', async () => {
    expect((await printed(paused({ total: 2 }))).stdout).toMatch(
      /\nnext: llmx-client resume llmx-grid-x\n$/,
    );
    expect((await printed(ended({ total: 2 }, 'rejected'))).stdout).toMatch(
      /\nstopped: rejected\nnext: llmx-client start-grid\n$/,
    );
    const result = gridResult(counters({ total: 2 }), [], 'rejected', 'too expensive');
    expect((await printed({ kind: 'result', result })).stdout).toContain(
      '\nstopped: rejected: too expensive\n',
    );
  });
});
