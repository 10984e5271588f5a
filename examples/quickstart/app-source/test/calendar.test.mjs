import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysInMonth, isDay } from '../src/calendar.mjs';

describe('calendar', () => {
  it('knows leap years', () => {
    assert.deepEqual(
      [2023, 2024, 1900, 2000].map((year) => daysInMonth(year, 2)),
      [28, 29, 28, 29],
    );
  });

  it('tells days from other text', () => {
    assert.deepEqual(['2024-02-29', '2023-02-29', '2024-13-01', 'today'].map(isDay), [
      true,
      false,
      false,
      false,
    ]);
  });
});
