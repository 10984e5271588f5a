import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ClaudeFactsReader } from '../../../../src/agents/claude/claude-facts.js';
import { CodexFactsReader, CodexSessionReader } from '../../../../src/agents/codex/codex-facts.js';
import { OpencodeFactsReader } from '../../../../src/agents/opencode/opencode-facts.js';
import { claudeEnding } from '../../../../src/domain/trial/ending/claude-ending.js';
import { codexEnding } from '../../../../src/domain/trial/ending/codex-ending.js';
import {
  resumeAtMs,
  type EndedBy,
  type Ending,
  type EndingContext,
} from '../../../../src/domain/trial/ending/ending.js';
import { readErrorBody } from '../../../../src/domain/trial/ending/error-body.js';
import { opencodeEnding } from '../../../../src/domain/trial/ending/opencode-ending.js';
import { resetInHeaders } from '../../../../src/domain/trial/ending/reset-headers.js';

interface Case {
  readonly id: string;
  readonly cli: 'claude' | 'codex' | 'opencode';
  readonly input: {
    readonly stdout: readonly string[];
    readonly stderr: string;
    readonly exitCode: number | null;
    readonly signal?: string;
    readonly killedByRunner?: EndedBy;
    readonly observedAt: string;
    readonly processTimeZone: string;
    readonly sessionFile?: readonly string[];
  };
  readonly expect: Readonly<Record<string, unknown>>;
}

const data = JSON.parse(
  readFileSync(new URL('../../../fixtures/endings/endings.json', import.meta.url), 'utf8'),
) as {
  readonly cases: readonly Case[];
  readonly headerCases: readonly {
    readonly id: string;
    readonly now: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly resetAt: string | null;
  }[];
  readonly bodyCases: readonly {
    readonly id: string;
    readonly now: string;
    readonly body: string;
    readonly resetAt: string | null;
    readonly reason: string;
  }[];
};

/** The words of the table for ours. */
const REASONS: Readonly<Record<string, string>> = {
  agent_killed: 'setup',
  agent_setup_failed: 'setup',
  login: 'login',
  model_differs: 'model',
  model_unavailable: 'model',
  network: 'network',
  nothing_done: 'nothing-done',
  overload: 'overload',
  quota: 'quota',
};
const RESUMES: Readonly<Record<string, string>> = {
  retry: 'retry-backoff',
  wait: 'wait-until',
};

function endingOf({ cli, input }: Case): Ending {
  const context: EndingContext = {
    exit: input.exitCode,
    signal: input.signal ?? null,
    endedBy: input.killedByRunner ?? null,
    observedAtMs: Date.parse(input.observedAt),
    timeZone: input.processTimeZone,
    stderr: input.stderr,
  };
  const fed = <Reader extends { event(event: object): void }>(
    reader: Reader,
    lines: readonly string[] = input.stdout,
  ): Reader => {
    for (const line of lines) reader.event(JSON.parse(line));
    return reader;
  };
  switch (cli) {
    case 'claude':
      return claudeEnding(fed(new ClaudeFactsReader()).facts(), context);
    case 'codex': {
      const session = fed(new CodexSessionReader(), input.sessionFile ?? []).session();
      return codexEnding(fed(new CodexFactsReader()).facts(), session, context);
    }
    case 'opencode':
      return opencodeEnding(fed(new OpencodeFactsReader()).facts(), context);
  }
}

function inWordsOfTheTable(ending: Ending): Readonly<Record<string, unknown>> {
  if (ending.status === 'valid') {
    return { class: 'VALID', outcome: ending.outcome, resume: 'none', flags: ending.flags };
  }
  const { reason, reset, resume, scope } = ending;
  return {
    class: 'VOID',
    reason: REASONS[reason] ?? reason,
    resume: RESUMES[resume ?? ''] ?? resume,
    scope,
    resetAt: iso(reset?.atMs),
    resetPrecision: reset?.precision ?? null,
  };
}

function iso(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/** What the table leaves out is nothing. */
function expected({ expect: wanted }: Case): Readonly<Record<string, unknown>> {
  return wanted['class'] === 'VALID'
    ? { flags: [], ...wanted }
    : { resetAt: null, resetPrecision: null, ...wanted };
}

describe('how a run ended', () => {
  it('has all cases', () => {
    expect(data.cases).toHaveLength(131);
  });

  it.each(data.cases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    expect(inWordsOfTheTable(endingOf(each))).toEqual(expected(each));
  });
});

describe('a wait', () => {
  const waits = data.cases.filter((each) => each.expect['resume'] === 'wait-until');

  it.each(waits.map((each) => [each.id, each] as const))(
    'ends a minute after the reset, or after now: %s',
    (_id, each) => {
      const ending = endingOf(each);
      const nowMs = Date.parse(each.input.observedAt);
      const resetMs = Date.parse(String(each.expect['resetAt']));
      if (ending.status !== 'void') throw new Error('not void');
      expect(resumeAtMs(ending, nowMs)).toBe(Math.max(resetMs, nowMs) + 60_000);
    },
  );
});

describe('a reset in headers', () => {
  it.each(data.headerCases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    const { headers, now, resetAt } = each;
    expect(iso(resetInHeaders(headers, Date.parse(now))?.atMs)).toBe(resetAt);
  });
});

describe('the body of an error', () => {
  it.each(data.bodyCases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    const { body, now, reason, resetAt } = each;
    const read = readErrorBody(body, Date.parse(now));
    expect({ reason: read.reason, resetAt: iso(read.reset?.atMs) }).toEqual({ reason, resetAt });
  });
});
