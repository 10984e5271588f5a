import { claudeEnding } from '../../domain/trial/ending/claude-ending.js';
import type { AgentEnd, AgentVerdict, RunExpectations } from '../agent.js';
import { endingContext } from '../ending-input.js';
import { checkedEnding, verdictOf } from '../ending-verdict.js';
import { readEventsIfThere } from '../transcript/read-events.js';
import { ClaudeFactsReader } from './claude-facts.js';

/** How a run of claude ended: from its stream, its standard error and its exit; never from its words. */
export async function judgeClaude(
  end: AgentEnd,
  expected: RunExpectations = {},
): Promise<AgentVerdict> {
  const reader = new ClaudeFactsReader();
  await readEventsIfThere(end.stdoutFile, (event) => reader.event(event));
  const context = await endingContext(end, expected);
  const ending = claudeEnding(reader.facts(), context);
  return verdictOf(checkedEnding(ending, reader.run(), expected), context.observedAtMs);
}
