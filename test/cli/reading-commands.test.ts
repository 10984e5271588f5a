import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleLab, type ExampleLab } from '../e2e/support/quickstart.js';
import { runCli } from '../fixtures/built-cli.js';
import { folderContents } from '../fixtures/folder-contents.js';
import { temporaryFolder, writeAttempt } from '../fixtures/results-folder.js';

jest.setTimeout(60_000);

interface DoctorJson {
  readonly verdict: string;
  readonly checks: readonly { readonly code: string; readonly status: string }[];
}

const keysOf = (value: object): string => Object.keys(value).sort().join(' ');

describe('in an experiment that was never started', () => {
  let lab: ExampleLab;

  beforeAll(async () => {
    lab = await exampleLab('quickstart');
  });

  afterAll(async () => {
    await lab.end();
  });

  it('plan --json has the documented shape', async () => {
    const { exit, stderr, json } = await lab.cli('plan', '--json');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const { cells, ...plan } = json<{ cells: readonly object[] }>();
    expect(plan).toEqual({
      schemaVersion: 1,
      kind: 'plan',
      planHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      total: 8,
      toRun: 8,
      alpha: 0.05,
      smallestP: 1,
      smallestSignTestP: 0.5,
      detectableEffect: null,
      costBoundUsd: 0,
    });
    expect(cells).toHaveLength(8);
    expect(cells[0]).toEqual({
      index: 1,
      task: 'month-border',
      agent: 'oracle',
      condition: 'plain',
      repeat: 1,
      done: false,
    });
    expect(new Set(cells.map(keysOf)).size).toBe(1);
  });

  it('a filter that matches nothing is named, an unknown agent lists the declared ones', async () => {
    const nothing = await lab.cli('start-grid', '--task', 'nosuch', '--json');
    expect(nothing.exit).toBe(2);
    expect(nothing.json()).toMatchObject({
      error: { code: 'filter_matches_nothing', message: 'no tasks match --task nosuch' },
    });
    const unknown = await lab.cli('start-grid', '--agent', 'orcale');
    expect(unknown.exit).toBe(2);
    expect(unknown.stderr).toMatchInlineSnapshot(`
     "error: unknown agent(s): orcale (experiment.yml declares oracle, nop)
     next: did you mean oracle? llmx-client plan --agent oracle"
    `);
  });

  it('status --json says that nothing was done, and report --json that nothing is there', async () => {
    const status = await lab.cli('status', '--json');
    expect(status).toMatchObject({ exit: 0, stderr: '' });
    expect(status.json()).toMatchObject({
      schemaVersion: 1,
      kind: 'status',
      workflowId: null,
      runId: null,
      uiUrl: null,
      phase: 'stopped',
      verdict: null,
      total: 8,
      done: 0,
      pending: 8,
      failed: 0,
      void: 0,
      running: null,
      spentUsd: 0,
    });
    const report = await lab.cli('report', '--json');
    expect(report).toMatchObject({ exit: 0, stderr: '' });
    expect(report.json()).toMatchObject({
      schemaVersion: 1,
      kind: 'report',
      trials: 0,
      counted: 0,
      planned: 8,
      comparisons: [],
      signTests: [],
      blocked: [],
      rates: [],
      flags: [],
    });
  });

  it('start-grid --dry-run shows order and count', async () => {
    const text = await lab.cli('start-grid', '--dry-run', '--task', 'split-rounding');
    expect(text).toMatchObject({ exit: 0, stderr: '' });
    expect(text.stdout).toMatchInlineSnapshot(`
     "1. split-rounding / oracle / plain
     2. split-rounding / oracle / hinted
     3. split-rounding / nop / plain
     4. split-rounding / nop / hinted
     4 of 4 cells would run"
    `);
    const json = (await lab.cli('start-grid', '--dry-run', '--json')).json<{
      kind: string;
      total: number;
      cells: readonly object[];
    }>();
    const { planHash } = (await lab.cli('plan', '--json')).json();
    expect(json).toMatchObject({ kind: 'plan', total: 8, planHash });
    expect(json.cells).toHaveLength(8);
  });

  it('doctor is GREEN, and RED with what to type when the checkout is not named', async () => {
    const green = await lab.cli('doctor', '--json');
    expect(green).toMatchObject({ exit: 0, stderr: '' });
    const { checks, ...rest } = green.json<DoctorJson>();
    expect(rest).toEqual({ schemaVersion: 1, kind: 'doctor', verdict: 'GREEN' });
    expect(new Set(checks.map(keysOf))).toEqual(new Set(['code detail hint name status']));
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['temporal', 'worker', 'git', 'runtime', 'disk', 'checkout-ledger']),
    );

    await rm(join(lab.dir, '.apps.local'));
    const red = await lab.cli('doctor', '--json');
    expect(red).toMatchObject({ exit: 3, stderr: '' });
    expect(red.json<DoctorJson>().verdict).toBe('RED');
    expect(red.json<DoctorJson>().checks.filter(({ status }) => status !== 'ok')).toEqual([
      {
        code: 'checkout-ledger',
        name: 'checkout ledger',
        status: 'fail',
        detail: 'app ledger: LLMX_APP_LEDGER is not set',
        hint: 'export LLMX_APP_LEDGER=/path/to/the/checkout',
      },
    ]);
    const text = await lab.cli('doctor');
    expect(text.exit).toBe(3);
    expect(text.stdout).toMatch(/\n\nverdict: RED$/);
  });

  it('none of these started a server or a worker, or wrote into the experiment', async () => {
    expect((await lab.cli('server', 'status', '--json')).json()).toMatchObject({ running: false });
    expect((await lab.cli('worker', 'status', '--json')).json()).toMatchObject({ running: false });
    // The id of this host is all that reading needs.
    expect(await readdir(lab.stateDir)).toEqual(['host-id']);
    expect(await readdir(lab.dir)).not.toContain('results-raw');
  });
});

describe('outside of any experiment', () => {
  let dir = '';

  beforeAll(async () => {
    dir = await temporaryFolder();
  });

  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  const run = (...argv: readonly string[]) =>
    runCli(argv, { cwd: dir, env: { LLMX_STATE_DIR: join(dir, 'state') } });

  it('commands that need one say how to make one', async () => {
    for (const argv of [
      ['plan'],
      ['status'],
      ['start-grid'],
      ['report'],
      ['run-trial', 'a', 'b', 'c'],
    ]) {
      const { exit, stderr, json } = await run(...argv, '--json');
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: '' });
      expect(json()).toMatchObject({
        error: { code: 'experiment_not_found', hint: 'llmx-client init' },
      });
    }
    expect(await folderContents(dir)).toEqual({});
  });

  it('doctor looks at the host alone and says so', async () => {
    const { exit, stdout, stderr } = await run('doctor');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'no experiment.yml here: only the host was checked',
    });
    // Nobody has logged in here, and no experiment says that nobody has to.
    expect(stdout).toMatch(/\n\nverdict: YELLOW$/);
    const { checks } = (await run('doctor', '--json')).json<DoctorJson>();
    expect(checks.map(({ code, status }) => [code, status])).toEqual([
      ...['temporal', 'worker', 'git', 'runtime', 'disk'].map((code) => [code, 'ok']),
      ['auth', 'warn'],
    ]);
  });

  it('report --results reads any tree', async () => {
    const facts = { schema_version: 1, task: 't', agent: 'oracle', condition: 'plain' };
    await writeAttempt(join(dir, 'other', 'results-raw'), 't/oracle/plain/20240101T000000Z', {
      meta: { ...facts, status: 'valid', passed: true },
      metrics: { ...facts, passed: true, wall_seconds: 2 },
    });
    for (const tree of ['other', 'other/results-raw']) {
      const { exit, json } = await run('report', '--json', '--results', tree);
      expect(exit).toBe(0);
      expect(json()).toMatchObject({ kind: 'report', trials: 1, counted: 1, planned: null });
    }
    const missing = await run('report', '--json', '--results', 'nosuch');
    expect(missing.exit).toBe(6);
    expect(missing.json()).toMatchObject({ error: { code: 'results_not_found' } });
  });

  it('a state folder that can not be used is one error', async () => {
    const { exit, stderr } = await runCli(['worker', 'start'], {
      cwd: dir,
      env: { LLMX_STATE_DIR: '/dev/null/state' },
    });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^error: the state folder \/dev\/null\/state cannot be used: /);
    expect(stderr).toMatch(/\nnext: set LLMX_STATE_DIR to a folder you can write to$/);
  });
});
