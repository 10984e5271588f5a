import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planCommand } from '../../../../src/client/commands/plan.js';
import { reportCommand } from '../../../../src/client/commands/report.js';
import type { PlannedCell } from '../../../../src/domain/plan/cell.js';
import { runCommandLine } from '../../../fixtures/captured-cli.js';
import { temporaryFolder, writeAttempt } from '../../../fixtures/results-folder.js';

const EXPERIMENT = `
name: two-by-two
agents:
  oracle:
  nop:
conditions: [plain, hinted]
apps:
  shop: { toolchain: node, branch_prefix: bench, test_command: node --test, suite_ran_pattern: '^# tests' }
tasks:
  - { id: x, app: shop, test_file: x.test.mjs, solution: solutions/x.patch }
  - { id: y, app: shop, test_file: y.test.mjs, solution: solutions/y.patch }
`;

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  await mkdir(join(dir, 'solutions'));
  await writeFile(join(dir, 'experiment.yml'), EXPERIMENT);
  await writeFile(join(dir, 'solutions/x.patch'), '');
  await writeFile(join(dir, 'solutions/y.patch'), '');
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const trial = (path: string, passed: boolean): Promise<void> => {
  const [task, agent, condition] = path.split('/');
  const facts = { schema_version: 1, task, agent, condition, passed };
  return writeAttempt(join(dir, 'results-raw'), path, {
    meta: { ...facts, status: 'valid' },
    metrics: { ...facts, wall_seconds: 2 },
  });
};

const plan = (...argv: string[]) => runCommandLine(planCommand, argv, dir);
const report = (...argv: string[]) => runCommandLine(reportCommand, argv, dir);
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

interface PlanJson {
  readonly planHash: string;
  readonly cells: readonly PlannedCell[];
}

describe('plan', () => {
  it('prints one JSON value with the cells in order and the figures', async () => {
    await trial('x/oracle/hinted/1', true);
    const { stdout, stderr } = await plan('--json');
    const { planHash, cells, ...rest } = json(stdout) as unknown as PlanJson;
    expect(stderr).toBe('');
    expect(planHash).toMatch(/^[0-9a-f]{64}$/);
    expect(
      cells.map(({ index, task, agent, condition }) => `${index} ${task} ${agent} ${condition}`),
    ).toEqual([
      '1 x oracle plain',
      '2 x oracle hinted',
      '3 x nop plain',
      '4 x nop hinted',
      '5 y oracle hinted',
      '6 y oracle plain',
      '7 y nop hinted',
      '8 y nop plain',
    ]);
    expect(cells[1]).toEqual({
      index: 2,
      task: 'x',
      agent: 'oracle',
      condition: 'hinted',
      repeat: 1,
      done: true,
    });
    expect(rest).toEqual({
      schemaVersion: 1,
      kind: 'plan',
      total: 8,
      toRun: 7,
      alpha: 0.05,
      smallestP: 1,
      smallestSignTestP: 0.5,
      detectableEffect: null,
      costBoundUsd: 0,
    });
  });

  it('writes nothing', async () => {
    const before = await readdir(dir, { recursive: true });
    await plan();
    await plan('--json');
    expect(await readdir(dir, { recursive: true })).toEqual(before);
  });

  it('has one hash for one content, whatever is done, and another for other cells or prompts', async () => {
    const hash = async (...argv: string[]): Promise<unknown> =>
      json((await plan('--json', ...argv)).stdout)['planHash'];
    const first = await hash();
    await trial('x/oracle/plain/1', true);
    expect(await hash()).toBe(first);
    expect(await hash('--redo-done')).toBe(first);
    expect(await hash('--task', 'x')).not.toBe(first);
    await mkdir(join(dir, 'prompts/shop/x'), { recursive: true });
    await writeFile(join(dir, 'prompts/shop/x/plain.txt'), 'fix it');
    expect(await hash()).not.toBe(first);
  });

  it('takes filters, and counts done cells again with --redo-done', async () => {
    await trial('x/nop/plain/1', false);
    const { stdout } = await plan('--task', 'x', '--agent', 'nop', '--agent', 'oracle');
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      '1. x / nop / plain (done)',
      '2. x / nop / hinted',
      '3. x / oracle / plain',
      '4. x / oracle / hinted',
      '4 cells: 1 done, 3 to run',
    ]);
    expect((await plan('--task', 'x', '--redo-done')).stdout).toContain(
      '4 cells: 1 done, 4 to run',
    );
  });

  it('refuses filters that leave nothing and agents that are not declared', async () => {
    await expect(plan('--task', 'nosuch')).rejects.toMatchObject({
      code: 'filter_matches_nothing',
      exitCode: 2,
    });
    await expect(plan('--agent', 'gpt')).rejects.toMatchObject({
      message: 'unknown agent(s): gpt (experiment.yml declares oracle, nop)',
    });
  });
});

describe('report', () => {
  it('prints the model as one JSON value', async () => {
    await trial('x/oracle/plain/1', true);
    await trial('x/nop/plain/1', false);
    const { stdout, stderr } = await report('--json');
    expect(json(stdout)).toMatchObject({
      schemaVersion: 1,
      kind: 'report',
      experiment: 'two-by-two',
      trials: 2,
      counted: 1,
      planned: 8,
      missing: 6,
      comparisons: [],
      signTests: [],
      blocked: [],
      flags: [],
    });
    expect(stderr).toBe('');
  });

  it('prints tables, says on stderr what to type next, and writes nothing', async () => {
    await trial('x/oracle/plain/1', true);
    const before = await readdir(dir, { recursive: true });
    const text = await report();
    expect(text.stdout).toMatch(/^oracle +x +plain +1\/1 +100%/m);
    expect(text.stderr).toBe('next: llmx-client start-grid\n');
    expect((await report('--md')).stdout).toContain('| oracle | x | plain | 1/1 | 100% |');
    expect(await readdir(dir, { recursive: true })).toEqual(before);
  });

  it('reads another tree without any experiment', async () => {
    await trial('x/oracle/plain/1', true);
    await rm(join(dir, 'experiment.yml'));
    for (const folder of ['.', 'results-raw', dir]) {
      expect(json((await report('--json', '--results', folder)).stdout)).toMatchObject({
        trials: 1,
        planned: null,
      });
    }
  });

  it('refuses a folder without results, and two formats at once', async () => {
    await expect(report('--results', 'nosuch')).rejects.toMatchObject({
      code: 'results_not_found',
      exitCode: 6,
    });
    await expect(report('--md', '--json')).rejects.toMatchObject({
      code: 'commander.conflictingOption',
    });
  });
});
