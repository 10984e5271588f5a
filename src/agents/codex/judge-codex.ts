import { codexEnding, NO_SESSION_FILE } from '../../domain/trial/ending/codex-ending.js';
import type { CodexSession } from '../../domain/trial/ending/codex-ending.js';
import type { AgentEnd, AgentVerdict, RunExpectations } from '../agent.js';
import { endingContext } from '../ending-input.js';
import { checkedEnding, verdictOf } from '../ending-verdict.js';
import { readEventsIfThere } from '../transcript/read-events.js';
import { CodexFactsReader, CodexSessionReader } from './codex-facts.js';

/** How a run of codex ended: from its stream, its session file where there is one, and standard error. */
export async function judgeCodex(
  end: AgentEnd,
  expected: RunExpectations = {},
): Promise<AgentVerdict> {
  const reader = new CodexFactsReader();
  await readEventsIfThere(end.stdoutFile, (event) => reader.event(event));
  const session = await readSession(expected.sessionFile ?? null);
  const context = await endingContext(end, expected);
  const ending = codexEnding(reader.facts(), session, context);
  return verdictOf(checkedEnding(ending, reader.run(), expected), context.observedAtMs);
}

async function readSession(file: string | null): Promise<CodexSession> {
  if (file === null) return NO_SESSION_FILE;
  const reader = new CodexSessionReader();
  await readEventsIfThere(file, (event) => reader.event(event));
  return reader.session();
}
