import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleLab, type ExampleLab } from '../e2e/support/quickstart.js';
import { edited } from '../fixtures/experiment-text.js';
import { folderContents } from '../fixtures/folder-contents.js';

// A trial waits while another one runs on this host.
jest.setTimeout(180_000);

interface TrialJson {
  readonly status: string;
  readonly passed: boolean | null;
  readonly code: string | null;
  readonly stamp: string;
}

describe('run-trial', () => {
  let lab: ExampleLab;
  let file = '';
  let text = '';

  beforeAll(async () => {
    lab = await exampleLab('quickstart');
    file = join(lab.dir, 'experiment.yml');
    text = await readFile(file, 'utf8');
  });

  afterAll(async () => {
    await lab.end();
  });

  const trial = (...argv: readonly string[]) => lab.cli('run-trial', 'month-border', ...argv);
  const metaOf = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(lab.dir, 'results-raw', path, 'meta.json'), 'utf8')) as never;

  it('--dry-run shows command and prompt and starts nothing', async () => {
    const before = await folderContents(lab.dir);
    const { exit, stdout, stderr } = await trial('oracle', 'plain', '--dry-run');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
     "cell:    month-border / oracle / plain
     command: git apply --whitespace=nowarn <inputs>/solution.patch
     stdin:   (empty)
     prompt:
     The total of a month is too low: an expense on the last day of the month is missing from it, and it
     is not in the next month either. Find the cause and fix it. \`node --test test/ledger.test.mjs\` shows
     the fault. Do not change the tests.
     "
    `);
    const json = (await trial('nop', 'hinted', '--dry-run', '--json')).json();
    expect(json).toMatchObject({
      schemaVersion: 1,
      kind: 'trialDryRun',
      task: 'month-border',
      agent: 'nop',
      condition: 'hinted',
      argv: null,
    });
    const prompt = join(lab.dir, 'prompts', 'ledger', 'month-border', 'hinted.txt');
    expect(json['prompt']).toBe(await readFile(prompt, 'utf8'));
    expect(await folderContents(lab.dir)).toEqual(before);
  });

  it.each([
    [['gpt', 'plain'], 'unknown_agent', 'oracle, nop'],
    [['oracle', 'plian'], 'usage', 'plain, hinted'],
  ])('refuses %j and lists what there is', async (names, code, known) => {
    const { exit, json } = await trial(...names, '--json');
    expect(exit).toBe(2);
    expect(json()).toMatchObject({ error: { code, message: expect.stringContaining(known) } });
  });

  it('runs one trial without a server; its result is exit code 0, passed or not', async () => {
    const passed = await trial('oracle', 'plain', '--json');
    expect(passed.exit).toBe(0);
    const result = passed.json<TrialJson>();
    expect(result).toMatchObject({
      schemaVersion: 1,
      kind: 'trialResult',
      task: 'month-border',
      agent: 'oracle',
      condition: 'plain',
      status: 'valid',
      passed: true,
      code: null,
      error: null,
    });
    expect(await metaOf(`month-border/oracle/plain/${result.stamp}`)).toMatchObject({
      status: 'valid',
      passed: true,
      workflow_id: null,
    });

    const failed = await trial('nop', 'plain');
    expect(failed.exit).toBe(0);
    expect(failed.stdout).toMatch(
      /^month-border \/ nop \/ plain: failed\nattempt: results-raw\/month-border\/nop\/plain\/\d{8}T\d{6}Z$/,
    );
    expect(await readdir(lab.stateDir)).not.toContain('temporal.db');
  });

  it('runs a cell that has its result once more, and keeps both', async () => {
    const { exit, json } = await trial('oracle', 'plain', '--json');
    expect(exit).toBe(0);
    const folder = join(lab.dir, 'results-raw', 'month-border', 'oracle', 'plain');
    const stamps = (await readdir(folder)).filter((name) => !name.startsWith('.'));
    expect(stamps).toHaveLength(2);
    expect(stamps).toContain(json<TrialJson>().stamp);
  });

  it('ends a void trial with exit code 5 and its reason', async () => {
    await writeFile(file, edited('test/ledger.test.mjs', 'test/money.test.mjs', text));
    const { exit, json } = await trial('oracle', 'hinted', '--json');
    expect(exit).toBe(5);
    const result = json<TrialJson>();
    expect(result).toMatchObject({
      kind: 'trialResult',
      status: 'void',
      passed: null,
      code: 'bug_did_not_reproduce',
      error: expect.stringContaining('the test passed before the agent started'),
    });
    expect(await metaOf(`month-border/oracle/hinted/${result.stamp}`)).toMatchObject({
      status: 'void',
      aborted: 'bug_did_not_reproduce',
    });
    expect((await lab.cli('status', '--json')).json()).toMatchObject({
      done: 2,
      pending: 6,
      passed: 2,
      failed: 1,
      void: 1,
    });
    await writeFile(file, text);
  });

  it('starts nothing when the preflight is RED', async () => {
    const keys = join(lab.dir, '.apps.local');
    await writeFile(keys, '');
    const before = await folderContents(join(lab.dir, 'results-raw'));
    const { exit, json, stderr } = await trial('oracle', 'plain', '--json');
    expect(exit).toBe(3);
    expect(json()).toMatchObject({
      error: { code: 'preflight_red', hint: 'export LLMX_APP_LEDGER=/path/to/the/checkout' },
    });
    expect(stderr).toMatch(/^FAIL {2}checkout ledger/m);
    expect(await folderContents(join(lab.dir, 'results-raw'))).toEqual(before);
  });
});
