import { weightsFromRatios } from './mode-weights.js';
import type { Interval } from './wilson.js';

/**
 * Interval for a proportion that holds the true rate at least as often as it says, for every rate; wider
 * than Wilson's. Null without trials.
 * Source: C. J. Clopper and E. S. Pearson, Biometrika 26, 1934 (R: `binom.test(passed, n)$conf.int`).
 * @param confidence @defaultValue 0.95
 */
export function clopperPearsonInterval(
  passed: number,
  n: number,
  confidence = 0.95,
): Interval | null {
  if (n === 0) return null;
  const tail = (1 - confidence) / 2;
  return {
    low: passed === 0 ? 0 : rateWithTail((rate) => atLeast(passed, n, rate) < tail),
    high: passed === n ? 1 : rateWithTail((rate) => 1 - atLeast(passed + 1, n, rate) > tail),
  };
}

/** The rate at which `isBelow` turns false, by bisection to the distance of neighbouring numbers. */
function rateWithTail(isBelow: (rate: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X ≥ passed) for n trials at `rate` (R: `pbinom(passed - 1, n, rate, lower.tail = FALSE)`). */
function atLeast(passed: number, n: number, rate: number): number {
  const odds = rate / (1 - rate);
  const probabilities = weightsFromRatios(0, n, (k) => ((n - k) / (k + 1)) * odds);
  return probabilities.subarray(passed).reduce((sum, p) => sum + p, 0);
}
