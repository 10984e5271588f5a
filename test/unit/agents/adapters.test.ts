import { describe, expect, it } from '@jest/globals';
import type { AgentEnd, LaunchContext } from '../../../src/agents/agent.js';
import { adapterOf } from '../../../src/agents/registry.js';
import { AGENT_KINDS, type AgentKind } from '../../../src/domain/experiment/experiment.js';

function context(kind: AgentKind, changes: Partial<LaunchContext> = {}): LaunchContext {
  return {
    agent: { name: 'a', kind, model: null, argv: null },
    experimentDir: '/exp',
    promptFile: '/frozen/prompt.txt',
    solutionFile: '/frozen/fix.patch',
    inputsDir: '/sandbox/inputs',
    checkoutDir: '/sandbox/checkout',
    model: null,
    hasWeb: false,
    isContained: false,
    env: { PATH: '/bin' },
    ...changes,
  };
}

function end(exit: number | null, signal: string | null = null): AgentEnd {
  const run = { exit, signal, timedOut: false, wallSeconds: 1, startedAt: '', finishedAt: '' };
  return { run, stdoutFile: 'out', stderrFile: 'err' };
}

describe('nop', () => {
  it('starts nothing and gets no input', () => {
    const plan = adapterOf({ name: 'a', kind: 'nop' }).launch(context('nop'));
    expect(plan).toMatchObject({ launch: { argv: null }, inputs: [] });
  });
});

describe('oracle', () => {
  const oracle = adapterOf({ name: 'a', kind: 'oracle' });

  it('applies the solution, which is copied for it alone', () => {
    const plan = oracle.launch(context('oracle'));
    expect(plan.launch.argv?.slice(0, 2)).toEqual(['git', 'apply']);
    expect(plan.launch.argv?.at(-1)).toBe('/sandbox/inputs/solution.patch');
    expect(plan.inputs).toEqual([{ from: '/frozen/fix.patch', name: 'solution.patch' }]);
    for (const kind of ['nop', 'command'] as const) {
      const other = adapterOf({ name: 'a', kind }).launch(context(kind));
      expect(JSON.stringify(other)).not.toContain('patch');
    }
  });

  it.each([
    [0, 'valid'],
    [1, 'void'],
    [128, 'void'],
    [null, 'void'],
  ])('with exit %s is %s', async (exit, status) => {
    expect(await oracle.judge(end(exit), {})).toMatchObject({ status });
  });
});

describe('command', () => {
  const command = adapterOf({ name: 'a', kind: 'command' });
  const launch = (argv: readonly string[]) =>
    command.launch(
      context('command', { agent: { name: 'a', kind: 'command', model: null, argv } }),
    );

  it.each([
    ['./agent.sh', '/exp/agent.sh'],
    ['tools/agent', '/exp/tools/agent'],
    ['/usr/bin/agent', '/usr/bin/agent'],
    ['agent', 'agent'],
  ])('finds %s as %s', (program, expected) => {
    expect(launch([program, './file']).launch.argv).toEqual([expected, './file']);
  });

  it('gets the prompt on standard input', () => {
    const plan = launch(['agent']);
    expect(plan.launch.stdinFile).toBe('/sandbox/inputs/prompt.txt');
    expect(plan.inputs).toEqual([{ from: '/frozen/prompt.txt', name: 'prompt.txt' }]);
  });

  it.each([
    [0, 'valid'],
    [1, 'valid'],
    [126, 'void'],
    [127, 'void'],
    [null, 'valid'],
  ])('with exit %s is %s', async (exit, status) => {
    expect(await command.judge(end(exit, exit === null ? 'SIGSEGV' : null), {})).toMatchObject({
      status,
    });
  });
});

describe('the registry', () => {
  it.each(AGENT_KINDS)('has an adapter of kind %s', (kind) => {
    expect(adapterOf({ name: 'a', kind }).kind).toBe(kind);
  });
});
