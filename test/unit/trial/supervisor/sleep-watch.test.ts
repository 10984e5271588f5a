import { describe, expect, it } from '@jest/globals';
import { hasSlept } from '../../../../src/trial/supervisor/sleep-watch.js';

const at = (wallMs: number, monotonicMs: number): { wallMs: number; monotonicMs: number } => ({
  wallMs,
  monotonicMs,
});

describe('a gap between two ticks', () => {
  it.each([
    ['of a second', at(1_000, 1_000), false],
    ['of exactly half a minute', at(30_000, 30_000), false],
    ['on the wall clock alone: the machine slept', at(31_000, 1_000), true],
    ['on both clocks: everything stood still', at(31_000, 31_000), true],
    ['when the wall clock is set back', at(-3_600_000, 1_000), false],
  ])('%s', (_name, later, slept) => {
    expect(hasSlept(at(0, 0), later)).toBe(slept);
  });
});
