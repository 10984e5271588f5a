import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import { collectReport, collectResults } from '../../../src/report/model.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';
import { temporaryFolder, writeAttempt } from '../../fixtures/results-folder.js';

let dir = '';
let tree = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  tree = join(dir, 'results-raw');
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

interface TrialShape {
  readonly passed?: boolean | null;
  readonly status?: string;
  readonly [metric: string]: unknown;
}

function identity(path: string): { task: string; agent: string; condition: string } {
  const [task = '', agent = '', condition = ''] = path.split('/');
  return { task, agent, condition };
}

/** An attempt as llmx writes it. */
function ours(
  path: string,
  { status = 'valid', passed = true, ...metrics }: TrialShape = {},
): Promise<void> {
  const meta = { schema_version: 1, ...identity(path), status, passed };
  return writeAttempt(tree, path, {
    meta,
    metrics: { schema_version: 1, repeat: 1, ...identity(path), passed, ...metrics },
  });
}

/** An attempt as the Ruby gem writes it: no schema version, no status. */
function gems(path: string, { passed = true, ...metrics }: TrialShape = {}): Promise<void> {
  return writeAttempt(tree, path, {
    meta: { ...identity(path), passed, agent_exit: 0 },
    metrics: { ...metrics, ...identity(path), passed },
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => null).catch((thrown: unknown) => thrown);
  return error instanceof LlmxError ? `${error.code}: ${error.message}` : 'no error';
}

describe('collectResults', () => {
  it('reads the trees of the gem: rows, passed trials, medians of passed trials, aborted attempts', async () => {
    await gems('alpha/claude/base/1', { total_input_tokens: 1200, search_calls: 2 });
    await gems('alpha/claude/base/2', { total_input_tokens: 1320, search_calls: null });
    await gems('alpha/claude/base/3', { total_input_tokens: 9999, search_calls: 9, passed: false });
    await gems('alpha/claude/treat/1', {
      total_input_tokens: 1500,
      search_calls: 0,
      turns: [{ input_tokens: 1 }],
    });
    await writeAttempt(tree, 'alpha/claude/treat/2', {
      meta: { ...identity('alpha/claude/treat'), aborted: 'rate limited' },
    });

    const report = await collectResults(dir);
    expect(report).toMatchObject({
      trials: 4,
      counted: 3,
      void: 1,
      ungraded: 0,
      planned: null,
      missing: null,
    });
    expect(report.rates).toEqual([
      {
        agent: 'claude',
        task: 'alpha',
        condition: 'base',
        n: 3,
        passed: 2,
        rate: 2 / 3,
        wilsonLow: expect.closeTo(0.2077, 4),
        wilsonHigh: expect.closeTo(0.9385, 4),
        void: 0,
        ungraded: 0,
        rateIfVoidsFailed: 2 / 3,
        rateIfVoidsPassed: 2 / 3,
        costPerPassUsd: null,
      },
      expect.objectContaining({
        condition: 'treat',
        n: 1,
        passed: 1,
        rate: 1,
        wilsonHigh: 1,
        void: 1,
        rateIfVoidsFailed: 0.5,
        rateIfVoidsPassed: 1,
      }),
    ]);
    const arm = { agent: 'claude', task: 'alpha' };
    expect(report.medians).toEqual([
      { ...arm, condition: 'base', metric: 'total_input_tokens', n: 2, median: 1260 },
      { ...arm, condition: 'base', metric: 'search_calls', n: 1, median: 2 },
      { ...arm, condition: 'treat', metric: 'total_input_tokens', n: 1, median: 1500 },
      { ...arm, condition: 'treat', metric: 'search_calls', n: 1, median: 0 },
    ]);
    expect(report.excluded).toEqual([
      { reason: 'void', detail: 'rate limited', count: 1, examples: ['alpha/claude/treat/2'] },
    ]);
    expect(report.comparisons.find(({ metric }) => metric === 'search_calls')).toMatchObject({
      ...arm,
      a: 'base',
      b: 'treat',
      nA: 1,
      nB: 1,
      medianA: 2,
      p: 1,
      pFraction: '2/2',
      ci: null,
      verdict: 'inconclusive',
    });
    expect(report.rateComparisons).toEqual([
      { ...arm, a: 'base', b: 'treat', passedA: 2, nA: 3, passedB: 1, nB: 1, p: 1 },
    ]);
  });

  it('says of every attempt that is no trial why it is none', async () => {
    await ours('t/nop/a/1', { passed: false, wall_seconds: 1.5 });
    await ours('t/nop/a/2', { status: 'ungraded', passed: null });
    await writeAttempt(tree, 't/nop/a/3', {
      meta: { ...identity('t/nop/a'), status: 'void', aborted: 'disk_full' },
    });
    await writeAttempt(tree, 't/nop/a/4', {
      metrics: { schema_version: 1, ...identity('t/nop/a'), passed: true },
    });
    await writeAttempt(tree, 't/nop/a/5', {
      meta: { ...identity('t/nop/a'), status: 'valid', passed: true },
    });
    await writeAttempt(tree, 't/nop/a/6', {
      meta: { ...identity('t/nop/a'), status: 'valid' },
      metrics: '{"task": "t", "agent"',
    });
    await writeAttempt(tree, 't/nop/a/7', {
      meta: '{"status"',
      metrics: { ...identity('t/nop/a'), passed: true },
    });
    await writeAttempt(tree, 't/nop/a/8', { meta: {}, metrics: { passed: true } });
    await writeAttempt(tree, 't/nop/a/9', { meta: {}, metrics: '[1, 2]' });
    await mkdir(join(tree, 't/nop/b/1'), { recursive: true });
    await mkdir(join(tree, 't/nop/b/2/meta.json'), { recursive: true });

    const report = await collectResults(tree);
    expect(report).toMatchObject({ trials: 1, counted: 0, void: 1, ungraded: 1, medians: [] });
    expect(report.rates).toEqual([
      expect.objectContaining({ condition: 'a', n: 1, passed: 0, rate: 0, void: 1, ungraded: 1 }),
    ]);
    const reasons = report.excluded.map(({ reason, detail, count }) =>
      `${count} ${reason} ${detail ?? ''}`.trim(),
    );
    expect(reasons).toEqual(
      [
        '1 no-metrics',
        '2 unfinished',
        '1 ungraded',
        '1 unnamed',
        '1 unreadable meta.json',
        '2 unreadable metrics.json',
        '1 void disk_full',
      ].sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1)),
    );
  });

  it('reads results-raw when a trial is in it, else results, never both', async () => {
    await gems('t/claude/a/1');
    await writeAttempt(join(dir, 'results'), 't/claude/a/1', {
      metrics: { ...identity('t/claude/a'), passed: true },
    });
    await writeAttempt(join(dir, 'results'), 't/claude/a/2', {
      metrics: { ...identity('t/claude/a'), passed: true },
    });
    expect((await collectResults(dir)).trials).toBe(1);
    expect((await collectResults(join(dir, 'results'))).trials).toBe(2);
    await rm(tree, { recursive: true });
    await mkdir(join(tree, 't/claude/a/3'), { recursive: true });
    expect((await collectResults(dir)).trials).toBe(2);
  });

  it('takes the identity from the file, at any depth, and looks past files that are no attempt', async () => {
    await writeAttempt(tree, '.', { meta: { published: true } });
    await writeAttempt(tree, 'a/b/c/d/e/f', {
      metrics: { ...identity('t/codex/x'), passed: true },
    });
    await writeAttempt(tree, 'a/b/c/d/e/f/copy', {
      metrics: { ...identity('t/codex/x'), passed: true },
    });
    await writeAttempt(tree, '.hidden/b/c/d', {
      metrics: { ...identity('t/codex/x'), passed: true },
    });
    await symlink(join(tree, 'a'), join(tree, 'link'));
    const report = await collectResults(dir);
    expect(report.rates).toEqual([
      expect.objectContaining({ agent: 'codex', task: 't', condition: 'x', n: 1 }),
    ]);
    expect(report.excluded).toEqual([]);
  });

  it('shows an arm that has nothing but void attempts', async () => {
    await writeAttempt(tree, 't/nop/a/1', {
      meta: { ...identity('t/nop/a'), status: 'void', aborted: 'quota' },
    });
    const { rates, trials } = await collectResults(dir);
    expect(trials).toBe(0);
    expect(rates).toEqual([
      {
        ...identity('t/nop/a'),
        n: 0,
        passed: 0,
        rate: null,
        wilsonLow: null,
        wilsonHigh: null,
        void: 1,
        ungraded: 0,
        rateIfVoidsFailed: 0,
        rateIfVoidsPassed: 1,
        costPerPassUsd: null,
      },
    ]);
  });

  it('names the folder that holds no results, and what is wrong with it', async () => {
    await writeFile(join(dir, 'file'), '');
    await mkdir(join(dir, 'empty'));
    expect(await codeOf(collectResults(join(dir, 'nosuch')))).toMatch(
      /^results_not_found: .*nosuch: there is no such/,
    );
    expect(await codeOf(collectResults(join(dir, 'file')))).toMatch(
      /^results_not_found: .*it is not a folder/,
    );
    expect(await codeOf(collectResults(join(dir, 'empty')))).toMatch(
      /^results_not_found: .*no metrics\.json/,
    );
  });
});

describe('collectReport', () => {
  const experiment = experimentOf({
    tasks: ['x', 'y'],
    agents: { oracle: 'oracle', nop: 'nop' },
    conditions: ['plain', 'hinted'],
    repeats: 2,
  });

  it('is empty, not an error, for an experiment that has not run', async () => {
    const report = await collectReport(dir, experiment);
    expect(report).toMatchObject({
      experiment: 'shape',
      trials: 0,
      counted: 0,
      planned: 16,
      missing: 16,
      rates: [],
    });
  });

  it('has the declared order of conditions, agents and tasks by name, and counts what is missing', async () => {
    await ours('y/oracle/hinted/1');
    await ours('x/oracle/hinted/1');
    await ours('x/oracle/plain/1');
    await ours('x/oracle/plain/2', { passed: false });
    await ours('x/oracle/plain/3'); // one more than asked for makes up for nothing
    await ours('x/nop/added/1', { passed: false });
    const report = await collectReport(dir, experiment);
    expect(report.conditions).toEqual(['plain', 'hinted', 'added']);
    expect(
      report.rates.map((rate) => `${rate.agent} ${rate.task} ${rate.condition} ${rate.n}`),
    ).toEqual(['nop x added 1', 'oracle x plain 3', 'oracle x hinted 1', 'oracle y hinted 1']);
    expect([report.planned, report.missing]).toEqual([16, 12]);
  });
});
