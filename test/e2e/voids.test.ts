import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { edited } from '../fixtures/experiment-text.js';
import { git } from '../fixtures/git-checkout.js';
import { exampleLab, type ExampleLab } from './support/quickstart.js';

jest.setTimeout(180_000);

interface GridResultJson {
  readonly ok: boolean;
  readonly total: number;
  readonly ran: number;
  readonly failures: readonly Failure[];
  readonly workflowId: string;
}

interface Failure {
  readonly task: string;
  readonly agent: string;
  readonly condition: string;
  readonly code: string;
  readonly error: string;
}

interface PlanJson {
  readonly cells: readonly { task: string; agent: string; condition: string; done: boolean }[];
}

const brief = ({ task, agent, code }: Failure): string => `${task} / ${agent}: ${code}`;

describe('trials that show nothing about the agent', () => {
  let lab: ExampleLab;
  let result: GridResultJson;
  let exit: number | undefined;

  beforeAll(async () => {
    lab = await exampleLab('quickstart');
    const file = join(lab.dir, 'experiment.yml');
    const text = await readFile(file, 'utf8');
    const changes = [
      // Its test passes before anybody has mended anything.
      ['test_file: test/ledger.test.mjs', 'test_file: test/money.test.mjs'],
      // Its test is not there: no suite runs.
      ['test_file: test/split.test.mjs', 'test_file: test/nosuch.test.mjs'],
      ['conditions: [plain, hinted]', 'conditions: [plain]'],
    ] as const;
    const third = `
  - id: sound
    app: ledger
    test_file: test/ledger.test.mjs
    impl_files: [src/calendar.mjs]
    solution: solutions/month-border.patch
`;
    const changed = changes.reduce((now, [from, to]) => edited(from, to, now), text.trimEnd());
    await writeFile(file, changed + third);
    // The third task is as it should be: the other two must not spoil it.
    git(join(lab.dir, 'app'), 'branch', 'bench/sound', 'bench/month-border');
    const prompts = join(lab.dir, 'prompts', 'ledger');
    await cp(join(prompts, 'month-border'), join(prompts, 'sound'), { recursive: true });

    const run = await lab.cli('start-grid', '--wait', '--json');
    exit = run.exit;
    result = run.json<GridResultJson>();
  });

  afterAll(async () => {
    await lab.end();
  });

  it('end the grid with exit code 5 and a failure for each, and leave the other cells alone', () => {
    expect(exit).toBe(5);
    expect(result).toMatchObject({
      kind: 'gridResult',
      ok: false,
      total: 6,
      ran: 2,
      passed: 1,
      failed: 1,
      failuresOmitted: 0,
      stopped: null,
    });
    expect(result.failures.map(brief)).toEqual([
      'month-border / oracle: bug_did_not_reproduce',
      'month-border / nop: bug_did_not_reproduce',
      'split-rounding / oracle: suite_did_not_run',
      'split-rounding / nop: suite_did_not_run',
    ]);
    for (const { error } of result.failures) expect(error).toMatch(/before the agent started/);
  });

  it('are tried once, and kept with what the test printed', async () => {
    for (const { task, agent, condition, code } of result.failures) {
      const cell = join(lab.dir, 'results-raw', task, agent, condition);
      const stamps = (await readdir(cell)).filter((name) => !name.startsWith('.'));
      expect(stamps).toHaveLength(1);
      const attempt = join(cell, stamps[0] ?? '');
      const meta = JSON.parse(await readFile(join(attempt, 'meta.json'), 'utf8')) as object;
      expect(meta).toMatchObject({ status: 'void', aborted: code });
      expect(meta).not.toMatchObject({ passed: true });
      expect(await readFile(join(attempt, 'test_before.txt'), 'utf8')).toMatch(/\S/);
      // The agent never ran.
      expect(await readdir(attempt)).not.toContain('agent.diff');
    }
  });

  it('leave their cells pending', async () => {
    const { cells } = (await lab.cli('plan', '--json')).json<PlanJson>();
    expect(cells.map(({ task, done }) => `${task} ${done}`)).toEqual([
      'month-border false',
      'month-border false',
      'split-rounding false',
      'split-rounding false',
      'sound true',
      'sound true',
    ]);
    expect((await lab.cli('status', '--json')).json()).toMatchObject({
      phase: 'stopped',
      workflowId: result.workflowId,
      total: 6,
      done: 2,
      pending: 4,
      passed: 1,
      failed: 1,
      void: 4,
    });
  });

  it('are said to a person, and run again by the next start once the file is corrected', async () => {
    const file = join(lab.dir, 'experiment.yml');
    const text = await readFile(file, 'utf8');
    const told = await lab.cli(
      'start-grid',
      '--wait',
      '--task',
      'split-rounding',
      '--agent',
      'nop',
    );
    expect(told.exit).toBe(5);
    expect(told.stderr).toMatch(
      /^no result: split-rounding \/ nop \/ plain: suite_did_not_run: the test suite did not run/m,
    );
    expect(told.stdout).toMatch(/\nthen: llmx-client start-grid$/);

    await writeFile(file, edited('test/nosuch.test.mjs', 'test/split.test.mjs', text));
    const again = await lab.cli('start-grid', '--wait', '--json', '--task', 'split-rounding');
    expect(again.exit).toBe(0);
    expect(again.json()).toMatchObject({ ok: true, total: 2, ran: 2, passed: 1, failed: 1 });
    expect(again.stderr).toMatch(/^changed since the last start: experiment\.yml/m);
  });

  it.each([
    'approve nosuch',
    'reject nosuch',
    'pause nosuch',
    'resume nosuch',
    'cancel nosuch',
    'skip 1 --grid nosuch',
    'status nosuch',
  ])('a workflow that is not there is exit code 6: %s', async (line) => {
    const { exit: code, stderr, json } = await lab.cli(...line.split(' '), '--json');
    expect({ code, stderr }).toEqual({ code: 6, stderr: '' });
    expect(json()).toMatchObject({
      error: {
        code: 'workflow_not_found',
        message: 'there is no workflow nosuch',
        hint: 'llmx-client status',
      },
    });
  });
});

describe('the command-agent example', () => {
  let lab: ExampleLab;

  beforeAll(async () => {
    lab = await exampleLab('command-agent');
  });

  afterAll(async () => {
    await lab.end();
  });

  it('ends as its page says: one pass for the program, none for doing nothing', async () => {
    const { exit, json } = await lab.cli('start-grid', '--wait', '--json');
    expect(exit).toBe(0);
    expect(json()).toMatchObject({
      ok: true,
      total: 4,
      ran: 4,
      passed: 1,
      failed: 3,
      failures: [],
    });
    const { rates } = (await lab.cli('report', '--json')).json<{
      rates: readonly { task: string; agent: string; passed: number; n: number }[];
    }>();
    expect(rates.map(({ task, agent, passed, n }) => `${task} / ${agent}: ${passed}/${n}`)).toEqual(
      [
        'month-border / mine: 1/1',
        'split-rounding / mine: 0/1',
        'month-border / nop: 0/1',
        'split-rounding / nop: 0/1',
      ],
    );
  });
});
