import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plausibleReset } from '../../../../src/domain/trial/ending/plausible-reset.js';
import { resetInText } from '../../../../src/domain/trial/ending/reset-text.js';
import { wallTime, zonedTimeMs } from '../../../../src/domain/trial/ending/zoned-time.js';

const iso = (atMs: number | null | undefined) =>
  atMs == null ? null : new Date(atMs).toISOString().replace('.000Z', 'Z');

function wall(text: string) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number);
  return { year, month, day, hour, minute };
}

describe('a time of a zone', () => {
  it.each([
    ['2026-12-01 13:20', 'Europe/Berlin', '2026-12-01T12:20:00Z'],
    ['2026-07-01 13:20', 'Europe/Berlin', '2026-07-01T11:20:00Z'],
    ['2026-12-01 13:00', 'Etc/GMT+5', '2026-12-01T18:00:00Z'],
    ['2026-12-01 05:30', 'Asia/Kathmandu', '2026-11-30T23:45:00Z'],
    ['2026-12-01 00:00', 'Pacific/Kiritimati', '2026-11-30T10:00:00Z'],
    // Shown twice on 25 October: the later one.
    ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T01:30:00Z'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T06:30:00Z'],
    // Skipped on 29 March: as if the clocks had not been changed.
    ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-02-29 12:00', 'UTC', null],
    ['2026-12-01 12:00', 'Mars/Olympus', null],
  ])('%s in %s', (time, zone, wanted) => {
    expect(iso(zonedTimeMs(wall(time), zone))).toBe(wanted);
  });

  it('is shown again by the clocks of its zone', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
    ];
    const minutes = fc.integer({ min: 28_000_000, max: 32_000_000 });
    fc.assert(
      fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
        const shown = wallTime(minute * 60_000, zone);
        if (shown === null) throw new Error(zone);
        const back = zonedTimeMs(shown, zone);
        expect(back === null ? null : wallTime(back, zone)).toEqual(shown);
      }),
    );
  });
});

describe('a reset in a text', () => {
  const read = (text: string, timeOfDay: 'next' | 'same-day' = 'next', zone = 'UTC') => {
    const observedAtMs = Date.parse('2026-12-01T10:00:30Z');
    const reset = resetInText(text, { observedAtMs, timeZone: zone, timeOfDay });
    return reset === null ? null : `${iso(reset.atMs)} ${reset.precision}`;
  };

  it.each([
    ['resets 10:05am', '2026-12-01T10:05:00Z minute'],
    // The seconds are cut off: this minute is still meant.
    ['resets 10:00am', '2026-12-01T10:00:00Z minute'],
    ['resets 9:59am', '2026-12-02T09:59:00Z minute'],
    ['resets 12am', '2026-12-02T00:00:00Z minute'],
    ['resets 12pm', '2026-12-01T12:00:00Z minute'],
    ['resets Tue 12:00am', '2026-12-08T00:00:00Z minute'],
    ['Your limit will reset at Dec 6, 6pm.', '2026-12-06T18:00:00Z minute'],
    ['resets Apr 3 at 8am (Europe/Paris)', '2027-04-03T06:00:00Z minute'],
    ['resets Nov 30, 8am (UTC)', '2026-11-30T08:00:00Z minute'],
    ['resets December 3, 8am (UTC)', '2026-12-03T08:00:00Z minute'],
    ['resets Foo 3, 8am (UTC)', null],
    ['resets 8am (Nowhere/Land)', null],
    ['resets 13pm', null],
    ['resets 8:75am', null],
    ['resets Feb 30, 2027, 8am', null],
    ['try again in 1 hour', '2026-12-01T11:00:30Z minute'],
    ['Resets in 2 days', '2026-12-03T10:00:30Z minute'],
    ['try again in 1.2s', null],
    ['try again later', null],
    ['reached|1796127600', '2026-12-01T12:20:00Z second'],
    ['will reset at 2026-12-01 20:20:00', '2026-12-01T12:20:00Z second'],
    ['will reset at 2026-12-01 20:20:00 +0900', '2026-12-01T11:20:00Z second'],
    ['on 2027-01-01 at 00:00 UTC', '2027-01-01T00:00:00Z minute'],
    ['', null],
  ])('%j', (text, wanted) => {
    expect(read(text)).toBe(wanted);
  });

  it('is of the same day where the CLI prints no other', () => {
    const text = 'try again at 7:41 AM.';
    expect(read(text, 'same-day')).toBe('2026-12-01T07:41:00Z minute');
    expect(read(text, 'same-day', 'Asia/Tokyo')).toBe('2026-11-30T22:41:00Z minute');
  });

  it('never breaks on any text', () => {
    const piece = fc.constantFrom(
      ...' resets at in 9 10 :59 am pm Dec Mon , 2027 ( ) UTC | - T h m'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        read(pieces.join(' '));
        read(pieces.join(''));
      }),
    );
  });
});

describe('a reset', () => {
  it.each([
    ['five-hour', 5.5, true],
    ['five-hour', 6, false],
    ['week', 8 * 24, true],
    ['week', 9 * 24, false],
    ['month', 31 * 24, true],
    ['month', 33 * 24, false],
    ['five-hour', -1, true],
    ['five-hour', -24 * 365, false],
  ] as const)('of a %s that is %s hours away', (window, hours, isPlausible) => {
    const reset = { atMs: hours * 3_600_000, precision: 'second' } as const;
    expect(plausibleReset(reset, window, 0)).toEqual(isPlausible ? reset : null);
  });
});
