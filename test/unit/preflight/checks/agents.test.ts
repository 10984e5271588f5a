import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentsCheck } from '../../../../src/preflight/checks/agents.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { edited } from '../../../fixtures/experiment-text.js';
import { temporaryFolder } from '../../../fixtures/results-folder.js';

const PAID = edited('  nop:\n', '  nop:\n  claude:\n', CHECKED_FILE);

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  await mkdir(join(dir, 'solutions'));
  await writeFile(join(dir, 'solutions', 'x.patch'), '');
  await writeFile(join(dir, 'solutions', 'y.patch'), '');
  await writeFile(join(dir, 'agent.sh'), '#!/bin/sh\n', { mode: 0o755 });
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe('the check of agents', () => {
  it('is ok when each can be started, and names them', async () => {
    expect(await agentsCheck(subjectOf(dir), process.env)).toEqual({
      code: 'agents',
      name: 'agents',
      status: 'ok',
      detail: 'oracle, nop, mine',
      hint: null,
    });
  });

  it('fails for a program that is missing or can not be executed', async () => {
    const program = join(dir, 'agent.sh');
    const answer = {
      status: 'fail',
      detail: 'mine: ./agent.sh is missing or not executable',
      hint: 'chmod +x ./agent.sh',
    };
    await chmod(program, 0o644);
    expect(await agentsCheck(subjectOf(dir), process.env)).toMatchObject(answer);
    await rm(program);
    expect(await agentsCheck(subjectOf(dir), process.env)).toMatchObject(answer);
  });

  it('looks for a program without a slash on PATH', async () => {
    const there = edited('./agent.sh', 'sh', CHECKED_FILE);
    expect(await agentsCheck(subjectOf(dir, there), process.env)).toMatchObject({ status: 'ok' });
    const missing = edited('./agent.sh', 'no-such-agent', CHECKED_FILE);
    expect(await agentsCheck(subjectOf(dir, missing), process.env)).toMatchObject({
      status: 'fail',
      detail: 'mine: no-such-agent is not on PATH',
    });
  });

  it('fails for a task whose solution the oracle can not apply', async () => {
    await rm(join(dir, 'solutions', 'y.patch'));
    expect(await agentsCheck(subjectOf(dir), process.env)).toMatchObject({
      status: 'fail',
      detail: 'oracle: task y has no solution file solutions/y.patch',
      hint: 'write solutions/y.patch with: git diff > solutions/y.patch',
    });
  });

  it('looks only at what this grid would run', async () => {
    await rm(join(dir, 'solutions', 'y.patch'));
    await rm(join(dir, 'agent.sh'));
    const only = (agents: readonly string[], task: string | null = null) =>
      agentsCheck(subjectOf(dir, CHECKED_FILE, { agents, task }), process.env);
    expect(await only(['nop'])).toMatchObject({ status: 'ok', detail: 'nop' });
    expect(await only(['oracle'], 'x')).toMatchObject({ status: 'ok', detail: 'oracle' });
    expect(await agentsCheck({ ...subjectOf(dir), cells: [] }, process.env)).toMatchObject({
      status: 'ok',
      detail: 'none to run',
    });
  });

  describe('of a CLI that a trial starts as a process of this machine', () => {
    const bin = (): string => join(dir, 'bin');
    const check = (pins = '') =>
      agentsCheck(subjectOf(dir, `${pins}${PAID}`), {
        PATH: `${bin()}:${process.env['PATH'] ?? ''}`,
      });
    const install = async (answer: string) => {
      await mkdir(bin(), { recursive: true });
      await writeFile(join(bin(), 'claude'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    };

    it('fails when it is not there, and says what to install', async () => {
      const subject = subjectOf(dir, PAID);
      expect(await agentsCheck(subject, { PATH: join(dir, 'nothing') })).toMatchObject({
        status: 'fail',
        detail: 'claude: claude is not on PATH',
        hint: 'npm install --global @anthropic-ai/claude-code@2.1.332',
      });
    });

    it.each([
      ['no pin', '', 'echo "2.1.400 (Claude Code)"', 'ok'],
      ['its pin', "pins: {claude: '2.1.400'}\n", 'echo "2.1.400 (Claude Code)"', 'ok'],
      ['another pin', "pins: {claude: '2.1.332'}\n", 'echo "2.1.400 (Claude Code)"', 'fail'],
      ['no answer', '', 'exit 1', 'fail'],
    ])('with %s and “%s”, answering “%s”, is %s', async (_case, pins, answer, status) => {
      await install(answer);
      expect(await check(pins)).toMatchObject({ status });
    });

    it('names both versions when they differ', async () => {
      await install('echo "2.1.400 (Claude Code)"');
      expect(await check("pins: {claude: '2.1.332'}\n")).toMatchObject({
        detail: 'claude: claude is pinned to 2.1.332, but 2.1.400 is installed',
        hint: 'npm install --global @anthropic-ai/claude-code@2.1.332',
      });
    });
  });
});
