import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEnd, RunExpectations } from '../../../../src/agents/agent.js';
import { judgeClaude } from '../../../../src/agents/claude/judge-claude.js';
import { judgeCodex } from '../../../../src/agents/codex/judge-codex.js';
import { judgeOpencode } from '../../../../src/agents/opencode/judge-opencode.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-verdicts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly stdout?: readonly object[];
  readonly stderr?: string;
  readonly exit?: number | null;
  readonly signal?: string;
  readonly timedOut?: boolean;
}

async function ended({ stdout = [], stderr = '', ...run }: Run): Promise<AgentEnd> {
  const [stdoutFile, stderrFile] = [join(folder, 'stdout'), join(folder, 'stderr')];
  await writeFile(stdoutFile, stdout.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await writeFile(stderrFile, stderr);
  return {
    run: {
      exit: run.exit ?? null,
      signal: run.signal ?? null,
      timedOut: run.timedOut ?? false,
      wallSeconds: 1,
      startedAt: '2026-12-01T09:59:00.000Z',
      finishedAt: '2026-12-01T10:00:00.000Z',
    },
    stdoutFile,
    stderrFile,
  };
}

const claude = async (run: Run, expected?: RunExpectations) =>
  judgeClaude(await ended(run), expected);
const codex = async (run: Run, expected?: RunExpectations) =>
  judgeCodex(await ended(run), expected);
const opencode = async (run: Run) => judgeOpencode(await ended(run));

const INIT = {
  type: 'system',
  subtype: 'init',
  model: 'model-a',
  claude_code_version: '2.1.332',
  mcp_servers: [],
  memory_paths: { auto: '/home/agent/.claude/memory/' },
};
const said = (model: string, content: object) => ({
  type: 'assistant',
  message: { id: 'm1', model, content: [content] },
  parent_tool_use_id: null,
});
const WORKED = said('model-a', { type: 'text', text: 'I changed it.' });
const result = (changes: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  stop_reason: 'end_turn',
  terminal_reason: 'completed',
  ...changes,
});
const failed = (text: string, changes: object = {}) =>
  result({ is_error: true, terminal_reason: 'api_error', result: text, ...changes });
const turnFailed = (message: string) => [
  { type: 'thread.started', thread_id: 't' },
  { type: 'turn.started' },
  { type: 'turn.failed', error: { message } },
];

describe('the verdict about a run', () => {
  it('says when to go on: a minute after the reset', async () => {
    const text = "You've hit your 5-hour limit · resets 12:20pm (UTC)";
    expect(await claude({ stdout: [INIT, failed(text)], exit: 1 })).toEqual({
      status: 'void',
      reason: 'quota',
      detail: `${text} (resets 2026-12-01T12:20:00.000Z)`,
      resume: { kind: 'wait', scope: 'account', at: '2026-12-01T12:21:00.000Z' },
    });
  });

  it('waits for the last of the windows that are used up, whatever they are called', async () => {
    const windows = {
      five_hour: { status: 'rejected', utilization: 1, resetsAt: 1_796_127_600 },
      seven_day: { status: 'allowed_warning', utilization: 1, resetsAt: 1_796_336_520 },
      seven_day_opus: { status: 'allowed', utilization: 0.9, resetsAt: 1_796_400_000 },
    };
    const info = { status: 'rejected', rateLimitType: 'five_hour', unifiedWindows: windows };
    const stdout = [INIT, { type: 'rate_limit_event', rate_limit_info: info }];
    expect(await claude({ stdout, exit: 1 })).toMatchObject({
      reason: 'quota',
      resume: { kind: 'wait', scope: 'account', at: '2026-12-03T22:23:00.000Z' },
    });
  });

  it('reads times without a zone in that of the CLI', async () => {
    const stdout = turnFailed('You’ve hit your usage limit. Try again at 1:20 PM.');
    const at = async (timeZone?: string) => {
      const verdict = await codex({ stdout, exit: 1 }, timeZone === undefined ? {} : { timeZone });
      return verdict.status === 'void' ? verdict.resume?.at : null;
    };
    expect(await at('Europe/Berlin')).toBe('2026-12-01T12:21:00.000Z');
    expect(await at()).toBe('2026-12-01T13:21:00.000Z');
  });

  it('knows what codex’s session file alone says', async () => {
    const sessionFile = join(folder, 'rollout.jsonl');
    const payload = {
      type: 'task_complete',
      error: {
        message: 'm',
        codex_error_info: { http_connection_failed: { http_status_code: 401 } },
      },
    };
    await writeFile(sessionFile, `${JSON.stringify({ type: 'event_msg', payload })}\n{"torn`);
    const run = { stdout: turnFailed('It did not work.'), exit: 1 };
    expect(await codex(run, { sessionFile })).toMatchObject({ reason: 'login' });
    expect(await codex(run)).toMatchObject({ reason: 'unknown_error' });
  });

  it('keeps what nobody knows, without a way to go on', async () => {
    const verdict = await claude({ stdout: [INIT, failed('API Error: 418 teapot')], exit: 1 });
    expect(verdict).toEqual({
      status: 'void',
      reason: 'unknown_error',
      detail: 'API Error: 418 teapot',
    });
  });

  it('hides a key that a provider repeats', async () => {
    const key = 'sk-proj-abcdefghijklmnop';
    const verdict = await codex({
      stdout: turnFailed(`Incorrect API key provided: ${key}.`),
      exit: 1,
    });
    expect(verdict).toMatchObject({ reason: 'login', resume: { kind: 'stop-grid' } });
    expect(JSON.stringify(verdict)).not.toContain('abcdef');
  });

  it('does not count a run that was not the trial’s own', async () => {
    const expected = { cliVersion: '2.1.332', homeDir: '/home/agent', modelRequested: 'model-a' };
    const run = (changes: object) => ({
      stdout: [{ ...INIT, ...changes }, WORKED, result()],
      exit: 0,
    });
    expect(await claude(run({}), expected)).toEqual({
      status: 'valid',
      outcome: 'completed',
      flags: [],
    });
    for (const changes of [
      { mcp_servers: [{ name: 'x', status: 'connected' }] },
      { memory_paths: { auto: '/shared/memory' } },
      { claude_code_version: '2.1.197' },
      { plugins: [{ name: 'mine', path: '/home/me/plugin' }] },
      { output_style: 'Explanatory' },
    ]) {
      expect(await claude(run(changes), expected)).toMatchObject({
        reason: 'contaminated',
        resume: { kind: 'stop-arm', scope: 'arm' },
      });
    }
  });

  it('does not count the answers of another model', async () => {
    const other = said('model-b', { type: 'text', text: 'Hello.' });
    const run = { stdout: [INIT, WORKED, other, result()], exit: 0 };
    expect(await claude(run, { modelRequested: 'model-a' })).toMatchObject({
      reason: 'model_differs',
      detail: 'model-b answered, model-a was asked',
      resume: { kind: 'retry', scope: 'trial' },
    });
    expect(await claude(run, { modelRequested: null })).toMatchObject({ status: 'valid' });
  });

  it('is about subagents only where they answer for the agent', async () => {
    const helper = {
      ...said('model-small', { type: 'text', text: 'x' }),
      parent_tool_use_id: 't1',
    };
    const run = { stdout: [INIT, WORKED, helper, result()], exit: 0 };
    expect(await claude(run, { modelRequested: 'model-a' })).toMatchObject({ status: 'valid' });
  });

  it('tells a CLI that never got an answer from an agent that took its time', async () => {
    const late = { exit: null, signal: 'SIGKILL', timedOut: true };
    const valid = { status: 'valid', outcome: 'time-limit' };
    const nothing = { reason: 'nothing_done', resume: { kind: 'probe', scope: 'account' } };
    const thought = said('model-a', { type: 'thinking', thinking: 'hm' });
    expect(await claude({ ...late, stdout: [INIT] })).toMatchObject(nothing);
    expect(await claude({ ...late, stdout: [INIT, thought] })).toMatchObject(valid);
    const started = [{ type: 'thread.started' }, { type: 'turn.started' }];
    const reasoning = { type: 'item.completed', item: { id: 'i', type: 'reasoning', text: 'hm' } };
    expect(await codex({ ...late, stdout: started })).toMatchObject(nothing);
    expect(await codex({ ...late, stdout: [...started, reasoning] })).toMatchObject(valid);
    expect(await opencode(late)).toMatchObject(nothing);
    const step = { type: 'step_start', part: {} };
    expect(await opencode({ ...late, stdout: [step] })).toMatchObject(valid);
  });

  it('counts a result after which the CLI hung', async () => {
    const run = { stdout: [INIT, WORKED, result()], signal: 'SIGKILL', timedOut: true };
    expect(await claude(run)).toMatchObject({ status: 'valid', outcome: 'completed' });
  });

  it('asks for a person when there is no program', async () => {
    expect(await claude({ exit: 127, stderr: 'claude: not found' })).toMatchObject({
      reason: 'agent_not_runnable',
      resume: { kind: 'stop-arm' },
    });
    expect(await opencode({ exit: 1 })).toMatchObject({ reason: 'nothing_done' });
  });

  it('needs no files', async () => {
    const end = await ended({ exit: 0 });
    await rm(end.stdoutFile);
    await rm(end.stderrFile);
    expect(await judgeClaude(end)).toMatchObject({ reason: 'nothing_done' });
  });

  it('reads the end of a long standard error', async () => {
    const stderr = `${'noise\n'.repeat(40_000)}Error: Session not found`;
    expect(await opencode({ exit: 1, stderr })).toMatchObject({
      reason: 'agent_setup_failed',
      resume: { kind: 'retry' },
    });
  });
});

describe('a sentence of an error', () => {
  it.each([
    ["You're out of usage credits", 'quota', 'stop-grid'],
    ['Your org is out of usage · ask your admin', 'quota', 'stop-grid'],
    ["Your seat type doesn't include usage", 'quota', 'stop-grid'],
    ['Your usage allocation has been disabled by your admin', 'quota', 'stop-grid'],
    ["You've reached your daily limit", 'quota', 'probe'],
    ["You've hit your 5-hour limit · resets 9pm (UTC)", 'quota', 'probe'],
    ['Usage credits required for 1M context', 'model_unavailable', 'stop-arm'],
    ['Claude Opus is not available with the Claude Pro plan', 'model_unavailable', 'stop-arm'],
    ['Login expired · Please run /login', 'login', 'stop-grid'],
    ['OAuth session expired and could not be refreshed', 'login', 'stop-grid'],
    ['Invalid API key · Fix external API key', 'login', 'stop-grid'],
    ['Server is temporarily limiting requests (not your usage limit)', 'overload', 'retry'],
    ['Repeated 529 Overloaded errors', 'overload', 'retry'],
    ['API Error: 500 Internal server error', 'overload', 'retry'],
    ['API Error: Connection error. (ECONNREFUSED)', 'network', 'retry'],
    ['API Error: 404 not here', 'model_unavailable', 'stop-arm'],
  ])('%j', async (text, reason, kind) => {
    expect(await claude({ stdout: [INIT, failed(text)], exit: 1 })).toMatchObject({
      reason,
      resume: { kind },
    });
  });

  it('in a result that is no error means nothing', async () => {
    const text = 'Credit balance is too low. Please run /login';
    const run = { stdout: [INIT, WORKED, result({ result: text })], exit: 0 };
    expect(await claude(run)).toMatchObject({ status: 'valid' });
  });
});
