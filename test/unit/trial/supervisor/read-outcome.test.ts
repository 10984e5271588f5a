import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAdapter } from '../../../../src/agents/agent.js';
import { judgeClaude } from '../../../../src/agents/claude/judge-claude.js';
import { readClaudeTranscript } from '../../../../src/agents/claude/read-claude-transcript.js';
import { PROGRAM_FILES, type AgentRun } from '../../../../src/domain/trial/program-contract.js';
import type { Sandbox, SandboxEnd } from '../../../../src/runtimes/runtime.js';
import type { SupervisorSpec } from '../../../../src/trial/supervisor-spec.js';
import { readOutcome } from '../../../../src/trial/supervisor/read-outcome.js';

const EVENTS = [
  { type: 'system', subtype: 'init', cwd: '/trial/checkout', model: 'model-a' },
  {
    type: 'assistant',
    message: {
      id: 'm1',
      model: 'model-a',
      content: [
        {
          type: 'tool_use',
          id: 't1',
          name: 'Read',
          input: { file_path: '/trial/checkout/src/a.js' },
        },
      ],
    },
  },
];
const RETRY = {
  type: 'system',
  subtype: 'api_retry',
  error_status: 401,
  error: 'authentication_failed',
};

const END: SandboxEnd = {
  exit: 0,
  signal: null,
  timedOut: false,
  oom: false,
  agentOom: false,
  machineOom: false,
  leftoversKilled: 0,
  leftoversAlive: 0,
  proof: 'best-effort',
  detail: null,
};

let out = '';
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'llmx-outcome-'));
});
afterAll(() => rm(out, { recursive: true, force: true }));

/** What is made of a run that was killed at its time limit. */
async function outcomeOf(events: readonly object[], changes: Partial<AgentAdapter> = {}) {
  const agent: AgentRun = {
    exit: null,
    signal: 'SIGKILL',
    timedOut: true,
    wallSeconds: 1,
    startedAt: '2026-12-01T10:00:00.000Z',
    finishedAt: '2026-12-01T10:15:00.000Z',
  };
  const write = (name: string, text: string) => writeFile(join(out, name), text);
  await write(PROGRAM_FILES.result, JSON.stringify({ schemaVersion: 1, agent }));
  const lines = events.map((event) => JSON.stringify(event));
  await write(PROGRAM_FILES.agentStdout, `${lines.join('\n')}\n`);
  const adapter: AgentAdapter = {
    kind: 'claude',
    launch: () => ({ launch: { argv: null, env: {}, stdinFile: null }, inputs: [] }),
    judge: (end) => judgeClaude(end),
    judgesTimeOuts: true,
    readTranscript: readClaudeTranscript,
    ...changes,
  };
  const sandbox = { host: { out }, inside: { checkout: '/trial/checkout' } };
  const trial = {
    agent: { model: null },
    facts: { pins: {} },
    program: { implFiles: ['src/a.js'] },
  };
  return readOutcome(adapter, sandbox as Sandbox, END, trial as unknown as SupervisorSpec);
}

describe('an agent that was killed at its time limit', () => {
  it('ran out of time when its transcript shows work', async () => {
    const { verdict, reading } = await outcomeOf(EVENTS);
    expect(verdict).toMatchObject({ status: 'valid', outcome: 'time-limit' });
    expect(reading?.metrics).toMatchObject({
      distinct_files_read: 1,
      tool_calls_to_first_target_read: 0,
    });
  });

  it('says nothing about itself when it only tried to reach its model', async () => {
    const { verdict } = await outcomeOf([...EVENTS, RETRY]);
    expect(verdict).toMatchObject({ status: 'void', reason: 'login' });
  });

  it('is not judged where its transcript tells nothing', async () => {
    const { verdict } = await outcomeOf([...EVENTS, RETRY], { judgesTimeOuts: false });
    expect(verdict).toBeNull();
  });
});
