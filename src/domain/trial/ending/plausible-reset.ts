import type { Reset } from './ending.js';
import { DAY_MS } from './zoned-time.js';

/** A limit's window: a reset can't be further away than it is long. */
export type LimitWindow = 'five-hour' | 'week' | 'month';

/** With a margin: clocks differ, and a week may begin a little late. */
const LONGEST_MS: Readonly<Record<LimitWindow, number>> = {
  'five-hour': 5.5 * 3_600_000,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
};

/**
 * The reset, or null when the window can't be that long: somebody counted in another unit, or printed the
 * wrong day. One that is over is plausible: it says to try now.
 */
export function plausibleReset(
  reset: Reset | null,
  window: LimitWindow,
  observedAtMs: number,
): Reset | null {
  if (reset === null) return null;
  const ahead = reset.atMs - observedAtMs;
  return ahead <= LONGEST_MS[window] && ahead >= -LONGEST_MS.month ? reset : null;
}

/** The window that a name or a sentence is about; a week when it says nothing. */
export function windowNamed(text: string): LimitWindow {
  if (/five_hour|5-hour|5 hour|session limit/i.test(text)) return 'five-hour';
  return /month|billing cycle/i.test(text) ? 'month' : 'week';
}
