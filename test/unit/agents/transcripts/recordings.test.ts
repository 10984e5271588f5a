import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeClaude } from '../../../../src/agents/claude/judge-claude.js';
import { readClaudeTranscript } from '../../../../src/agents/claude/read-claude-transcript.js';
import { judgeCodex } from '../../../../src/agents/codex/judge-codex.js';
import { readCodexTranscript } from '../../../../src/agents/codex/read-codex-transcript.js';
import { judgeOpencode } from '../../../../src/agents/opencode/judge-opencode.js';
import { readOpencodeTranscript } from '../../../../src/agents/opencode/read-opencode-transcript.js';

/**
 * Numbers added up by hand from the recordings. Tokens: input, cache writes, cache reads, output; null where
 * the stream does not say it. Calls: search, read, edit, bash, other.
 */
interface Recorded {
  readonly events: number;
  readonly tokens: readonly (number | null)[] | null;
  readonly total?: number;
  readonly usd?: number;
  readonly calls: readonly number[];
  readonly turns: number;
  readonly answer: string | null;
  /** `exit`, or `TERM` for a run that was ended at its time limit. */
  readonly exit: number | 'TERM';
  readonly verdict: string;
}

const EDIT_CALLS = [1, 1, 2, 1, 0];
const NO_CALLS = [0, 0, 0, 0, 0];
const DONE = 'Done: a is now 2.';
const FAILED = { calls: NO_CALLS, turns: 0, answer: null, exit: 1 } as const;

const RECORDINGS: Readonly<Record<string, Recorded>> = {
  // 12596 + 12689 + 120 + 13120; each message counts once however many blocks it has.
  'claude-edit.jsonl': {
    events: 17,
    tokens: [38_525, 500, 9000, 145],
    total: 48_025,
    usd: 0.1613,
    calls: EDIT_CALLS,
    turns: 4,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  // One line that holds a list.
  'claude-output-format-json.json': {
    events: 17,
    tokens: [38_525, 500, 9000, 145],
    total: 48_025,
    usd: 0.1613,
    calls: EDIT_CALLS,
    turns: 4,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  // 12549 + 12642 + 120 + 13352
  'claude-permission-denied.jsonl': {
    events: 19,
    tokens: [38_663, 500, 9000, 145],
    total: 48_163,
    usd: 0.161852,
    calls: EDIT_CALLS,
    turns: 4,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  // 12487 + 12603; output 16 + 2 by the deltas.
  'claude-partial-messages.jsonl': {
    events: 30,
    tokens: [25_090, 0, 0, 18],
    total: 25_090,
    usd: 0.10072,
    calls: [0, 0, 1, 0, 0],
    turns: 2,
    answer: 'Done.',
    exit: 0,
    verdict: 'completed',
  },
  // This run alone: the session's cost, 0.213984, includes the 0.1613 of the run before.
  'claude-resume.jsonl': {
    events: 3,
    tokens: [13_166, 0, 0, 1],
    total: 13_166,
    usd: 0.052684,
    calls: NO_CALLS,
    turns: 1,
    answer: 'Bye.',
    exit: 0,
    verdict: 'completed',
  },
  'claude-mcp.jsonl': {
    events: 5,
    tokens: [25_361, 0, 0, 7],
    total: 25_361,
    usd: 0.101584,
    calls: [0, 0, 0, 0, 1],
    turns: 2,
    answer: 'Echoed.',
    exit: 0,
    verdict: 'contaminated',
  },
  // The main thread: 12547 + 12850.
  'claude-subagent.jsonl': {
    events: 12,
    tokens: [25_397, 0, 0, 61],
    total: 25_397,
    usd: 0.172416,
    calls: [0, 0, 1, 0, 1],
    turns: 2,
    answer: 'Delegated.',
    exit: 0,
    verdict: 'completed',
  },
  // 12596 + 12689
  'claude-max-turns.jsonl': {
    events: 11,
    tokens: [25_285, 0, 0, 63],
    total: 25_285,
    usd: 0.1024,
    calls: [0, 1, 2, 0, 0],
    turns: 2,
    answer: "I'll look first.",
    exit: 1,
    verdict: 'turn-limit',
  },
  // Its result says 0 tokens; the usage by model has them.
  'claude-max-budget.jsonl': {
    events: 6,
    tokens: [12_606, 0, 0, 21],
    total: 12_606,
    usd: 0.050844,
    calls: [0, 1, 0, 0, 0],
    turns: 1,
    answer: "I'll look first.",
    exit: 1,
    verdict: 'budget-limit',
  },
  'claude-retry-529.jsonl': {
    events: 5,
    tokens: [12_480, 0, 0, 3],
    total: 12_480,
    usd: 0.04998,
    calls: NO_CALLS,
    turns: 1,
    answer: 'Recovered.',
    exit: 0,
    verdict: 'completed',
  },
  'claude-error-400.jsonl': {
    ...FAILED,
    events: 3,
    tokens: [0, 0, 0, 0],
    total: 0,
    usd: 0,
    verdict: 'unknown_error',
  },
  'claude-error-401.jsonl': {
    ...FAILED,
    events: 4,
    tokens: [0, 0, 0, 0],
    total: 0,
    usd: 0,
    verdict: 'login',
  },
  'claude-not-logged-in.jsonl': {
    ...FAILED,
    events: 3,
    tokens: [0, 0, 0, 0],
    total: 0,
    usd: 0,
    verdict: 'login',
  },
  'claude-stream-cut.jsonl': {
    ...FAILED,
    events: 4,
    tokens: [0, 0, 0, 0],
    total: 0,
    usd: 0,
    verdict: 'network',
  },
  // Without a result the output is not known: the 1 in the event is only its beginning.
  'claude-sigterm-mid-tool.jsonl': {
    events: 4,
    tokens: [12_491, 0, 0, null],
    total: 12_491,
    calls: [0, 0, 0, 1, 0],
    turns: 1,
    answer: 'Starting.',
    exit: 'TERM',
    verdict: 'time-limit',
  },
  'claude-sigkill-mid-tool.jsonl': {
    events: 3,
    tokens: [12_491, 0, 0, null],
    total: 12_491,
    calls: [0, 0, 0, 1, 0],
    turns: 1,
    answer: 'Starting.',
    exit: 137,
    verdict: 'agent_killed',
  },
  'claude-killed-while-retrying-401.jsonl': {
    ...FAILED,
    events: 10,
    tokens: null,
    exit: 'TERM',
    verdict: 'login',
  },
  'codex-exec-gpt-5.5.jsonl': {
    events: 17,
    tokens: [39_617, null, 9000, 135],
    total: 39_617,
    calls: EDIT_CALLS,
    turns: 1,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  'codex-exec-gpt-6.2-sol.jsonl': {
    events: 17,
    tokens: [57_347, null, 9000, 163],
    total: 57_347,
    calls: EDIT_CALLS,
    turns: 1,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  'codex-exec-unknown-model.jsonl': {
    events: 18,
    tokens: [41_366, null, 9000, 162],
    total: 41_366,
    calls: EDIT_CALLS,
    turns: 1,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  // The thread's total: codex gives no other.
  'codex-exec-resume.jsonl': {
    events: 4,
    tokens: [50_150, null, 9000, 136],
    total: 50_150,
    calls: NO_CALLS,
    turns: 1,
    answer: 'Bye.',
    exit: 0,
    verdict: 'completed',
  },
  'codex-exec-mcp.jsonl': {
    events: 6,
    tokens: [20_207, null, 0, 7],
    total: 20_207,
    calls: [0, 0, 0, 0, 1],
    turns: 1,
    answer: 'Echoed.',
    exit: 0,
    verdict: 'contaminated',
  },
  'codex-exec-error-400.jsonl': { ...FAILED, events: 4, tokens: null, verdict: 'unknown_error' },
  'codex-exec-error-500.jsonl': { ...FAILED, events: 6, tokens: null, verdict: 'overload' },
  'codex-exec-stream-cut.jsonl': { ...FAILED, events: 6, tokens: null, verdict: 'network' },
  'codex-exec-sigterm-mid-tool.jsonl': {
    events: 4,
    tokens: null,
    calls: [0, 0, 0, 1, 0],
    turns: 0,
    answer: 'Starting.',
    exit: 'TERM',
    verdict: 'time-limit',
  },
  // 7497 + 7612 + 620 + 7971; output 15 + 42 + 47 + 5 and 6 + 30 of thinking.
  'opencode-run.jsonl': {
    events: 17,
    tokens: [23_700, 0, 9000, 145],
    total: 32_700,
    calls: EDIT_CALLS,
    turns: 4,
    answer: DONE,
    exit: 0,
    verdict: 'completed',
  },
  'opencode-run-resume.jsonl': {
    events: 3,
    tokens: [8004, 0, 0, 1],
    total: 8004,
    calls: NO_CALLS,
    turns: 1,
    answer: 'Bye.',
    exit: 0,
    verdict: 'completed',
  },
  'opencode-run-error-400.jsonl': { ...FAILED, events: 1, tokens: null, verdict: 'unknown_error' },
};

const CLIS = {
  claude: { read: readClaudeTranscript, judge: judgeClaude },
  codex: { read: readCodexTranscript, judge: judgeCodex },
  opencode: { read: readOpencodeTranscript, judge: judgeOpencode },
};

const FOLDER = fileURLToPath(new URL('../../../fixtures/transcripts', import.meta.url));
const TABLE = Object.entries(RECORDINGS);

function cliOf(name: string): (typeof CLIS)[keyof typeof CLIS] {
  return CLIS[name.split('-')[0] as keyof typeof CLIS];
}

describe('a recorded transcript', () => {
  it('is in the table', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(RECORDINGS).sort());
  });

  it.each(TABLE)('is read to its totals: %s', async (name, recorded) => {
    const context = { targets: ['app.py'], checkoutDir: '/workspace/app' };
    const { metrics, answer } = await cliOf(name).read(join(FOLDER, name), context);
    const at = (...keys: readonly string[]) => keys.map((key) => metrics[key] ?? null);
    const tokens = at(
      'input_tokens',
      'cache_creation_input_tokens',
      'cache_read_input_tokens',
      'output_tokens',
    );
    expect(tokens.some((each) => each !== null) ? tokens : null).toEqual(recorded.tokens);
    expect(metrics['total_input_tokens']).toBe(recorded.total);
    if (recorded.usd === undefined) expect(metrics['total_cost_usd']).toBeUndefined();
    else expect(metrics['total_cost_usd']).toBeCloseTo(recorded.usd, 9);
    const calls = ['search', 'read', 'edit', 'bash', 'other'].map((kind) => `${kind}_calls`);
    expect(at(...calls)).toEqual(recorded.calls);
    expect(metrics['model_calls']).toBe(recorded.turns);
    expect(answer).toBe(recorded.answer);
    expect(at('raw_events', 'unparsable_lines', 'torn_last_line', 'unknown_events')).toEqual([
      recorded.events,
      0,
      false,
      0,
    ]);
  });

  it.each(TABLE)('has an ending: %s', async (name, { exit, verdict }) => {
    const timedOut = exit === 'TERM';
    const run = {
      exit: timedOut ? null : exit,
      signal: timedOut ? 'SIGTERM' : null,
      timedOut,
      wallSeconds: 1,
      startedAt: '2026-11-30T21:00:00.000Z',
      finishedAt: '2026-11-30T21:50:00.000Z',
    };
    const stdoutFile = join(FOLDER, name);
    const found = await cliOf(name).judge({ run, stdoutFile, stderrFile: join(FOLDER, 'none') });
    expect(found.status === 'void' ? found.reason : found.outcome).toBe(verdict);
  });
});

describe('claude’s start and totals', () => {
  const read = async (name: string) =>
    (await readClaudeTranscript(join(FOLDER, name), { targets: ['app.py'], checkoutDir: null }))
      .metrics;

  it('tell what a hermetic run has to show', async () => {
    expect(await read('claude-mcp.jsonl')).toMatchObject({
      cli_version: '2.1.332',
      model_reported: 'claude-opus-5-5',
      mcp_servers: [
        { name: 'echo', status: 'connected' },
        { name: 'broken', status: 'failed' },
      ],
      memory_paths: { auto: '/home/agent/.claude/projects/-workspace-app/memory/' },
      user_config: [],
      tools_available: 23,
    });
  });

  it('tell subagents and the session before apart from the run', async () => {
    expect(await read('claude-subagent.jsonl')).toMatchObject({
      all_input_tokens: 42_684,
      all_output_tokens: 84,
    });
    expect(await read('claude-resume.jsonl')).toMatchObject({
      session_cost_usd: 0.213984,
      all_input_tokens: 13_166,
    });
  });

  it('tell the way to the target', async () => {
    expect(await read('claude-edit.jsonl')).toMatchObject({
      distinct_files_read: 2,
      tool_calls_to_first_target_read: 0,
      tool_calls_to_first_edit: 1,
      searches_before_first_target: 0,
      zero_search_navigation: true,
      tool_call_classes: ['read', 'edit', 'edit', 'search', 'bash'],
      tool_call_names: ['Read', 'Edit', 'Write', 'Bash', 'Bash'],
      total_shell_segments: 3,
      search_segments: 1,
      read_segments: 0,
      context_before_first_tool_call: 12_596,
      num_turns: 6,
      duration_ms: 329,
    });
    expect(await read('claude-subagent.jsonl')).toMatchObject({
      tool_calls_to_first_target_read: null,
      searches_before_first_target: null,
      zero_search_navigation: null,
    });
  });
});

describe('the same work', () => {
  it('is counted alike for all three agents', async () => {
    const names = ['claude-edit.jsonl', 'codex-exec-gpt-5.5.jsonl', 'opencode-run.jsonl'];
    const context = { targets: ['app.py'], checkoutDir: '/workspace/app' };
    const [claude, ...others] = await Promise.all(
      names.map(async (name) => {
        const { metrics } = await cliOf(name).read(join(FOLDER, name), context);
        return Object.fromEntries(
          [
            'total_tool_calls',
            'search_calls',
            'distinct_files_read',
            'tool_calls_to_first_target_read',
            'tool_calls_to_first_edit',
            'searches_before_first_target',
            'tool_call_classes',
          ].map((key) => [key, metrics[key]]),
        );
      }),
    );
    for (const other of others) expect(other).toEqual(claude);
  });
});
