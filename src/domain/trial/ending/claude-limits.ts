/** The windows of a claude plan, as a `rate_limit_event` tells them. */

import type { Reset, VoidEnding } from './ending.js';
import { quota, quotaOfText, scopeOf, type FailureReading } from './failure-text.js';
import { plausibleReset, windowNamed } from './plausible-reset.js';

export interface LimitState {
  /** `five_hour`, `seven_day`, `seven_day_opus`, … */
  readonly name: string;
  readonly status: string | null;
  /** Share of the window, 1 is all of it. */
  readonly utilization: number | null;
  readonly resetAtMs: number | null;
}

export interface RateLimit {
  readonly status: string | null;
  /** `rateLimitType`. */
  readonly type: string | null;
  readonly resetAtMs: number | null;
  readonly utilization: number | null;
  readonly windows: readonly LimitState[];
}

/** A throttle says `rejected` too, but names neither a window nor a time. */
export function isRefused({ status, type, resetAtMs }: RateLimit): boolean {
  return status === 'rejected' && (type !== null || resetAtMs !== null);
}

/** The event before the sentence: a sentence may ask for a person where a window opens in an hour. */
export function quotaOfWindows(
  limit: RateLimit | null,
  text: string,
  reading: FailureReading,
): VoidEnding {
  const reset = limit === null ? null : resetOfWindows(limit, reading.observedAtMs);
  const isOneModel = /_(opus|sonnet|haiku)$/.test(limit?.type ?? '');
  const scope = isOneModel ? 'model' : scopeOf(text);
  if (reset !== null) return quota(text, reset, scope);
  const ofText = quotaOfText(text, reading);
  if (ofText === null) return quota(text, null, scope);
  // The event's window bounds what the sentence says about the time.
  const window = windowNamed(limit?.type ?? text);
  const plausible = plausibleReset(ofText.reset, window, reading.observedAtMs);
  return ofText.resume === 'wait' ? quota(text, plausible, scope) : ofText;
}

/** The latest of the windows that are used up; never when bought usage starts anew. */
function resetOfWindows(limit: RateLimit, observedAtMs: number): Reset | null {
  const usedUp = limit.windows.filter(
    ({ status, utilization }) => status === 'rejected' || (utilization ?? 0) >= 1,
  );
  const times = usedUp.flatMap(({ name, resetAtMs }) => plausible(resetAtMs, name) ?? []);
  const last = times.length > 0 ? Math.max(...times) : plausible(limit.resetAtMs, limit.type ?? '');
  return last === null ? null : { atMs: last, precision: 'second' };

  function plausible(atMs: number | null, name: string): number | null {
    const reset = atMs === null ? null : ({ atMs, precision: 'second' } as const);
    return plausibleReset(reset, windowNamed(name), observedAtMs)?.atMs ?? null;
  }
}
