/** Local times of IANA zones, by the zone database of Intl. */

/** A wall clock without a zone; month and day count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second?: number;
}

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What the clocks of a zone show; null for a zone nobody knows. */
export function wallTime(atMs: number, timeZone: string): Required<WallTime> | null {
  const format = formatOf(timeZone);
  if (format === null) return null;
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const at = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: at('year'),
    month: at('month'),
    day: at('day'),
    hour: at('hour'),
    minute: at('minute'),
    second: at('second'),
  };
}

/**
 * The moment at which the clocks of a zone show a time. When they show it twice, the later one; when they
 * skip it, the moment they would have shown it without the change.
 * @returns null for a zone nobody knows, or a date that does not exist
 */
export function zonedTimeMs(time: WallTime, timeZone: string): number | null {
  const asUtc = Date.UTC(
    time.year,
    time.month - 1,
    time.day,
    time.hour,
    time.minute,
    time.second ?? 0,
  );
  if (!isSameDate(new Date(asUtc), time)) return null;
  // A zone has at most two offsets within a day of a change of its clocks.
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((atMs) => offsetMs(atMs, timeZone));
  const moments = offsets.flatMap((offset) => (offset === null ? [] : [asUtc - offset]));
  const exact = moments.filter((atMs) => offsetMs(atMs, timeZone) === asUtc - atMs);
  const best = exact.length > 0 ? exact : moments.slice(0, 1);
  return best.length === 0 ? null : Math.max(...best);
}

function isSameDate(date: Date, { year, month, day, hour, minute }: WallTime): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute
  );
}

function offsetMs(atMs: number, timeZone: string): number | null {
  const wall = wallTime(atMs, timeZone);
  if (wall === null) return null;
  const { year, month, day, hour, minute, second } = wall;
  const whole = Math.floor(atMs / 1000) * 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null; // no such zone
  }
}
