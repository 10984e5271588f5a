/** When a limit ends, read from the sentence a CLI prints. */

import type { Reset } from './ending.js';
import { DAY_MS, wallTime, zonedTimeMs, type WallTime } from './zoned-time.js';

export interface ResetReading {
  readonly observedAtMs: number;
  /** IANA name: what a time without a zone is in. */
  readonly timeZone: string;
  /**
   * A time of day without a date: its next occurrence (claude), or that of the same day, which may be over
   * (codex).
   */
  readonly timeOfDay: 'next' | 'same-day';
}

const MINUTE_MS = 60_000;
/** Times in texts have their seconds cut off: a minute that is over may still be meant. */
const CUT_OFF_MS = MINUTE_MS;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');

/** Providers that print dates without a zone mean this one (reported for Z.ai). */
const ZONE_OF_PLAIN_DATES = '+0800';

/** Straight apostrophes and plain spaces, so that one pattern fits all versions of a sentence. */
export function plainText(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'").replace(/[\u00a0\u202f]/g, ' ');
}

/** The reset that a text names; null when it names none, or none that makes sense. */
export function resetInText(text: string, reading: ResetReading): Reset | null {
  const plain = plainText(text);
  return (
    epochReset(plain) ??
    isoReset(plain) ??
    relativeReset(plain, reading.observedAtMs) ??
    clockReset(plain, reading)
  );
}

/** `usage limit reached|1796127600` */
function epochReset(text: string): Reset | null {
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  return seconds === undefined ? null : { atMs: Number(seconds) * 1000, precision: 'second' };
}

/** `on 2027-01-01 at 00:00 UTC`, `at 2026-12-01 20:20:00 +0800 CST` */
function isoReset(text: string): Reset | null {
  const [, date, time, zone] =
    /(\d{4}-\d{2}-\d{2})(?: at |[ T])(\d{2}:\d{2}(?::\d{2})?)(?: ?(UTC|GMT|Z|[+-]\d{2}:?\d{2})(?![\w:]))?/.exec(
      text,
    ) ?? [];
  if (date === undefined || time === undefined) return null;
  const offset = zone === undefined ? ZONE_OF_PLAIN_DATES : /\d/.test(zone) ? zone : '+0000';
  const hasSeconds = time.length > 5;
  const seconds = hasSeconds ? time : `${time}:00`;
  const atMs = Date.parse(`${date}T${seconds}${offset.replace(/:?(\d{2})$/, ':$1')}`);
  return Number.isNaN(atMs) ? null : { atMs, precision: hasSeconds ? 'second' : 'minute' };
}

/** `try again in 2 days 17 hours 14 minutes`, `Resets in 2hr 20min` */
function relativeReset(text: string, observedAtMs: number): Reset | null {
  const [, span] = /(?:try again|resets?) in ((?:\d+ ?[a-z]+[ ,]*)+)/i.exec(text) ?? [];
  if (span === undefined) return null;
  let ms = 0;
  for (const [, count, unit] of span.matchAll(/(\d+) ?(w|d|h|m(?!o)|s)[a-z]*/gi)) {
    ms += Number(count) * (SPAN_MS[unit?.toLowerCase() ?? ''] ?? 0);
  }
  return ms === 0 ? null : { atMs: observedAtMs + ms, precision: 'minute' };
}

const SPAN_MS: Readonly<Record<string, number>> = {
  w: 7 * DAY_MS,
  d: DAY_MS,
  h: 60 * MINUTE_MS,
  m: MINUTE_MS,
  s: 1000,
};

const CLOCK =
  /(?:resets?(?: at)?|try again at) (?:(?<day>[a-z]{3})[a-z]* )?(?:(?<date>\d{1,2})(?:st|nd|rd|th)?(?:, (?<year>\d{4}))?(?:,| at)? )?(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>am|pm)(?: \((?<zone>[\w+/-]+)\))?/i;

/** `resets Dec 3, 11:22pm (Europe/Berlin)`, `resets Mon 12:00am`, `try again at 7:20 AM` */
function clockReset(text: string, reading: ResetReading): Reset | null {
  const found = CLOCK.exec(text)?.groups;
  if (found === undefined) return null;
  const timeZone = found['zone'] ?? reading.timeZone;
  const today = wallTime(reading.observedAtMs, timeZone);
  const hour = (Number(found['hour']) % 12) + (found['half']?.toLowerCase() === 'pm' ? 12 : 0);
  const time = { hour, minute: Number(found['minute'] ?? 0) };
  if (today === null || Number(found['hour']) > 12 || time.minute > 59) return null;
  const atMs = momentOf(found, { ...today, ...time, second: 0 }, timeZone, reading);
  return atMs === null ? null : { atMs, precision: 'minute' };
}

function momentOf(
  { day, date, year }: Readonly<Record<string, string | undefined>>,
  today: WallTime,
  timeZone: string,
  { observedAtMs, timeOfDay }: ResetReading,
): number | null {
  const name = day?.toLowerCase() ?? '';
  const onDay = (days: number): number | null => zonedTimeMs(plusDays(today, days), timeZone);
  if (date !== undefined) {
    const month = MONTHS.indexOf(name) + 1;
    if (month === 0) return null;
    const years = year === undefined ? [-1, 0, 1].map((more) => today.year + more) : [Number(year)];
    const moments = years.flatMap(
      (each) => zonedTimeMs({ ...today, year: each, month, day: Number(date) }, timeZone) ?? [],
    );
    // Without a year the nearest one: just over, or coming.
    moments.sort((a, b) => Math.abs(a - observedAtMs) - Math.abs(b - observedAtMs));
    return moments[0] ?? null;
  }
  if (name !== '') {
    const weekday = WEEKDAYS.indexOf(name);
    if (weekday < 0) return null;
    const now = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
    const ahead = (weekday - now + 7) % 7;
    return next(onDay(ahead), onDay(ahead + 7), observedAtMs);
  }
  return timeOfDay === 'same-day' ? onDay(0) : next(onDay(0), onDay(1), observedAtMs);
}

function next(first: number | null, second: number | null, observedAtMs: number): number | null {
  return first !== null && first > observedAtMs - CUT_OFF_MS ? first : second;
}

function plusDays(time: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(time.year, time.month - 1, time.day + days));
  return {
    ...time,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}
