import { MAX_LISTED, type CallContext, type CallTally } from '../../domain/metrics/call-tally.js';
import { known } from './known.js';
import type { ParseCounts } from './read-events.js';

/** Where no task is at hand: no call is looked at for target files. */
export const NO_TASK: CallContext = { targets: [], checkoutDir: null };

/** What every reader tells, beside what only its CLI knows. */
export interface SharedFigures {
  readonly calls: CallTally;
  readonly counts: ParseCounts;
  /** Events of a type the reader does not know. */
  readonly unknownEvents: number;
  /** At most {@link MAX_LISTED}. */
  readonly turns: readonly object[];
  readonly turnCount: number;
  /** Null where the CLI gives usage only after its tool calls. */
  readonly contextBeforeFirstToolCall: number | null;
}

/** `metrics.json` keys; nulls that mean "never" stay, figures that are not known are left out. */
export function metricsOf(
  shared: SharedFigures,
  own: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { calls, counts, turns, turnCount } = shared;
  const isCut = calls.count > MAX_LISTED || turnCount > MAX_LISTED;
  return {
    ...calls.figures(),
    ...known(own),
    context_before_first_tool_call: shared.contextBeforeFirstToolCall,
    turns,
    model_calls: turnCount,
    ...(isCut ? { lists_cut: true } : {}),
    unknown_events: shared.unknownEvents,
    ...counts,
  };
}

/** Adds to a list of {@link MAX_LISTED} at most. */
export function listed<Item>(items: Item[], item: Item): void {
  if (items.length < MAX_LISTED) items.push(item);
}
