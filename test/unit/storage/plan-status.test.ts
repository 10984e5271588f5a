import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_FILTERS, type GridFilters } from '../../../src/domain/plan/cell.js';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import {
  countAttempts,
  loadPlan,
  loadPlanStatus,
  planHash,
  requiredCells,
} from '../../../src/storage/plan-status.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';
import { temporaryFolder, writeAttempt } from '../../fixtures/results-folder.js';

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const attempt = (path: string, meta: unknown): Promise<void> =>
  writeAttempt(join(dir, 'results-raw'), path, { meta });

describe('loadPlanStatus', () => {
  const experiment = experimentOf({ tasks: ['x', 'y'], conditions: ['a', 'b'], repeats: 2 });

  it('finds nothing done where nothing was run, and writes nothing', async () => {
    const { cells, counts } = await loadPlanStatus(dir, experiment, NO_FILTERS);
    expect(cells.map((cell) => cell.done)).toEqual(new Array(8).fill(false));
    expect(counts).toEqual({
      total: 8,
      done: 0,
      pending: 8,
      passed: 0,
      failed: 0,
      void: 0,
      ungraded: 0,
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('counts results toward the repeats of their cell, and everything else apart', async () => {
    await attempt('x/nop/a/1', { status: 'valid', passed: true });
    await attempt('x/nop/a/2', { status: 'valid', passed: false });
    await attempt('x/nop/a/3', { status: 'void', aborted: 'quota', passed: null });
    await attempt('x/nop/b/1', { status: 'ungraded', passed: null });
    await attempt('y/nop/a/1', { passed: true }); // the gem's: no status, not aborted
    await attempt('y/nop/b/1', { aborted: 'rate limited' }); // the gem's
    await attempt('y/nop/b/2', '{"status": "val');
    await mkdir(join(dir, 'results-raw/y/nop/b/3')); // open: no meta.json
    await attempt('y/nop/b/.claims', { status: 'valid', passed: true }); // llmx's own
    await attempt('other/nop/a/1', { status: 'valid', passed: true }); // not in the plan

    const { cells, counts } = await loadPlanStatus(dir, experiment, NO_FILTERS);
    const done = cells.filter((cell) => cell.done);
    expect(done.map(({ task, condition, repeat }) => `${task}/${condition}/${repeat}`)).toEqual([
      'x/a/1',
      'x/a/2',
      'y/a/1',
    ]);
    expect(counts).toEqual({
      total: 8,
      done: 3,
      pending: 5,
      passed: 2,
      failed: 1,
      void: 4,
      ungraded: 1,
    });
  });

  it('is what loadPlan and countAttempts give', async () => {
    await attempt('x/nop/a/1', { status: 'valid', passed: false });
    const status = await loadPlanStatus(dir, experiment, NO_FILTERS);
    expect(await loadPlan(dir, experiment, NO_FILTERS)).toEqual(status.cells);
    expect(await countAttempts(dir, experiment, NO_FILTERS)).toEqual(status.counts);
  });

  it('counts only what the filters leave', async () => {
    await attempt('x/nop/a/1', { status: 'valid', passed: false });
    const counts = await countAttempts(dir, experiment, { ...NO_FILTERS, task: 'y' });
    expect(counts).toMatchObject({ total: 4, done: 0, failed: 0 });
  });
});

describe('filters that leave nothing', () => {
  const experiment = experimentOf({
    tasks: ['shop:total', 'blog:feed'],
    agents: { oracle: 'oracle', nop: 'nop' },
  });

  function errorOf(filters: Partial<GridFilters>): LlmxError {
    try {
      requiredCells(experiment, { ...NO_FILTERS, ...filters });
    } catch (error) {
      if (error instanceof LlmxError) return error;
    }
    throw new Error('there was a plan');
  }

  it.each([
    {
      filters: { task: 'nosuch' },
      message: 'no tasks match --task nosuch',
      hint: 'llmx-client plan',
    },
    {
      filters: { task: 'totl' },
      message: 'no tasks match --task totl',
      hint: 'did you mean total? llmx-client plan --task total',
    },
    {
      filters: { app: 'shp', task: 'total' },
      message: 'no tasks match --app shp --task total',
      hint: 'did you mean shop? llmx-client plan --app shop',
    },
    {
      filters: { app: 'blog', task: 'total' },
      message: 'no tasks match --app blog --task total',
      hint: 'llmx-client plan',
    },
    {
      filters: { task: 'a b\u001b[31m' },
      message: 'no tasks match --task "a b\\u001b[31m"',
      hint: 'llmx-client plan',
    },
  ])('names them: $message', ({ filters, message, hint }) => {
    expect(errorOf(filters)).toMatchObject({
      code: 'filter_matches_nothing',
      message,
      hint,
      exitCode: 2,
    });
  });

  it('lists the declared agents for one that is unknown', () => {
    expect(errorOf({ agents: ['gpt', 'nop'] })).toMatchObject({
      code: 'unknown_agent',
      message: 'unknown agent(s): gpt (experiment.yml declares oracle, nop)',
      hint: 'llmx-client plan',
      exitCode: 2,
    });
    expect(errorOf({ agents: ['oracel'] }).hint).toBe(
      'did you mean oracle? llmx-client plan --agent oracle',
    );
  });
});

describe('planHash', () => {
  it('is 64 hex digits and changes with cells and facts', () => {
    const cells = requiredCells(experimentOf(), NO_FILTERS);
    const more = requiredCells(experimentOf({ repeats: 2 }), NO_FILTERS);
    const hashes = [planHash(cells, {}), planHash(more, {}), planHash(cells, { prompt: '1' })];
    expect(new Set(hashes).size).toBe(3);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
