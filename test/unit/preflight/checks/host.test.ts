import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskCheck } from '../../../../src/preflight/checks/disk.js';
import { gitCheck } from '../../../../src/preflight/checks/git.js';
import { runtimeCheck, sandboxCheck } from '../../../../src/preflight/checks/runtime.js';
import { runChecks } from '../../../../src/preflight/run-checks.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { edited } from '../../../fixtures/experiment-text.js';

let dir = '';
const path = process.env['PATH'];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-checks-'));
});

afterEach(async () => {
  process.env['PATH'] = path;
  await rm(dir, { recursive: true, force: true });
});

describe('the check of git', () => {
  it('is ok with the version, and fails without git', async () => {
    expect(await gitCheck()).toEqual({
      code: 'git',
      name: 'git',
      status: 'ok',
      detail: expect.stringMatching(/^git version \d/),
      hint: null,
    });
    process.env['PATH'] = dir;
    expect(await gitCheck()).toMatchObject({
      status: 'fail',
      detail: 'git was not found on PATH',
      hint: 'install git',
    });
  });
});

describe('the check of disk space', () => {
  const needing = (gb: string) => edited('min_free_gb: 0.001', `min_free_gb: ${gb}`, CHECKED_FILE);

  it('is ok above the limit of the experiment, and fails below it', async () => {
    const context = { env: {}, stateDir: join(dir, 'not', 'made', 'yet') };
    expect(await diskCheck({ ...context, subject: subjectOf(dir) })).toEqual({
      code: 'disk',
      name: 'disk space',
      status: 'ok',
      detail: expect.stringMatching(/^\d+\.\d GB free, 0\.001 GB needed$/),
      hint: null,
    });
    const much = subjectOf(dir, needing('1000000'));
    expect(await diskCheck({ ...context, subject: much })).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/, 1000000 GB needed$/),
      hint: 'free some space, then: llmx-client doctor',
    });
  });

  it('asks for 2 GB outside of an experiment', async () => {
    const { detail } = await diskCheck({ env: {}, stateDir: dir, subject: null });
    expect(detail).toMatch(/ GB free, 2 GB needed$/);
  });
});

describe('the check of the runtime', () => {
  const withRuntime = (line: string) =>
    subjectOf(dir, edited('runtime: process\n', line, CHECKED_FILE));

  it('is ok when the experiment asks for what is here, and outside of one', async () => {
    const ok = { code: 'runtime', name: 'runtime', status: 'ok', hint: null };
    expect(await runtimeCheck(subjectOf(dir))).toMatchObject(ok);
    expect(await runtimeCheck(null)).toMatchObject(ok);
  });

  it('warns when none is chosen and no engine works: nobody said that an agent may read this machine', async () => {
    process.env['PATH'] = dir;
    expect(await runtimeCheck(withRuntime(''))).toMatchObject({
      status: 'warn',
      hint: 'set runtime: process in experiment.yml',
    });
  });

  it.each(['docker', 'podman'])('fails for one that is not here: %s', async (kind) => {
    process.env['PATH'] = dir;
    expect(await runtimeCheck(withRuntime(`runtime: ${kind}\n`))).toMatchObject({
      status: 'fail',
      detail: `${kind}: there is no program ${kind} on PATH`,
      hint: `install ${kind}, then: llmx-client doctor`,
    });
  });
});

describe('the check of the sandbox', () => {
  const PAID = edited('  nop:\n', '  nop:\n  claude:\n  second: {kind: codex}\n', CHECKED_FILE);

  it('is ok without an agent that may run any command', async () => {
    expect(await sandboxCheck(subjectOf(dir))).toMatchObject({
      code: 'sandbox',
      status: 'ok',
      hint: null,
    });
    expect(await sandboxCheck(subjectOf(dir, PAID, { agents: ['nop'] }))).toMatchObject({
      status: 'ok',
    });
  });

  it('warns and names those that may, and says how to go without them', async () => {
    expect(await sandboxCheck(subjectOf(dir, PAID))).toMatchObject({
      status: 'warn',
      detail: 'claude, second may run any command as you on the process runtime',
      hint: 'llmx-client start-grid --agent oracle --agent nop --agent mine',
    });
    const alone = edited(
      '  oracle:\n  nop:\n  mine: {kind: command, argv: [./agent.sh]}\n',
      '  claude:\n',
      CHECKED_FILE,
    );
    expect(await sandboxCheck(subjectOf(dir, alone))).toMatchObject({
      hint: 'llmx-client start-grid --approve-yellow',
    });
  });
});

describe('all checks', () => {
  const codes = async (subject: ReturnType<typeof subjectOf> | null) =>
    (await runChecks({ env: {}, stateDir: dir, subject })).map(({ code }) => code);

  it('are those of the host outside of an experiment, and all of them inside, each with its own code', async () => {
    expect(await codes(null)).toEqual(['git', 'runtime', 'disk', 'auth']);
    const all = await codes(subjectOf(dir));
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(
      expect.arrayContaining(['git', 'runtime', 'disk', 'sandbox', 'agents', 'checkout-shop']),
    );
    expect(all).toContain('prompts');
    for (const code of all) expect(code).toMatch(/^[a-z0-9-]+$/);
  });
});
