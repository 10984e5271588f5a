import { opencodeEnding } from '../../domain/trial/ending/opencode-ending.js';
import type { AgentEnd, AgentVerdict, RunExpectations } from '../agent.js';
import { endingContext } from '../ending-input.js';
import { verdictOf } from '../ending-verdict.js';
import { readEventsIfThere } from '../transcript/read-events.js';
import { OpencodeFactsReader } from './opencode-facts.js';

/** How a run of opencode ended: from its stream and the errors it logs to standard error. */
export async function judgeOpencode(
  end: AgentEnd,
  expected: RunExpectations = {},
): Promise<AgentVerdict> {
  const reader = new OpencodeFactsReader();
  await readEventsIfThere(end.stdoutFile, (event) => reader.event(event));
  const context = await endingContext(end, expected);
  // The stream names neither model nor version nor servers: there is nothing to check them by.
  return verdictOf(opencodeEnding(reader.facts(), context), context.observedAtMs);
}
