/** Whether a value drifts with time: Kendall's rank correlation. */

import { convolved } from './convolved.js';
import { normalCdf } from './normal.js';
import { rankSumNull } from './rank-sum-null.js';

/** Beyond this, or with two observations at one time, p is the normal approximation with ties. */
const LARGEST_EXACT = 25;

export interface Observation {
  readonly time: number;
  readonly value: number;
}

export interface KendallTest {
  readonly n: number;
  /** τ_b, from −1 (only falls) to 1 (only rises). */
  readonly tau: number;
  /** Two-sided. */
  readonly p: number;
}

/**
 * Kendall's τ_b of values against times and its p without any trend. Null when it is not defined: fewer
 * than 2 observations, or all values or all times the same. Exact for up to 25 observations at different
 * times, tied values included (R: `cor.test(method = "kendall")` is exact without ties only).
 * Source: M. G. Kendall, "Rank Correlation Methods", 1970.
 */
export function kendallTest(observations: readonly Observation[]): KendallTest | null {
  const n = observations.length;
  const tiedTimes = tieSizes(observations.map(({ time }) => time));
  const tiedValues = tieSizes(observations.map(({ value }) => value));
  const pairs = (sizes: readonly number[]): number =>
    sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const score = scoreOf(observations);
  const comparable = (pairs([n]) - pairs(tiedTimes)) * (pairs([n]) - pairs(tiedValues));
  if (comparable === 0) return null;
  const isExact = n <= LARGEST_EXACT && tiedTimes.every((size) => size === 1);
  const p = isExact ? exactP(tiedValues, score) : normalP(n, tiedTimes, tiedValues, score);
  return { n, tau: score / Math.sqrt(comparable), p };
}

/** Pairs that move the same way minus pairs that move opposite ways. */
function scoreOf(observations: readonly Observation[]): number {
  const times = Float64Array.from(observations, ({ time }) => time);
  const values = Float64Array.from(observations, ({ value }) => value);
  let score = 0;
  for (let later = 1; later < times.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      const forward = Math.sign((times[later] ?? 0) - (times[earlier] ?? 0));
      score += forward * Math.sign((values[later] ?? 0) - (values[earlier] ?? 0));
    }
  }
  return score;
}

/** How often each distinct number occurs. */
function tieSizes(numbers: readonly number[]): readonly number[] {
  const sizes = new Map<number, number>();
  for (const number of numbers) sizes.set(number, (sizes.get(number) ?? 0) + 1);
  return [...sizes.values()];
}

/**
 * Over all orders of the values: put in one tied group after the other, a group has as many inversions
 * with those before it as a sample has in the rank-sum test.
 */
function exactP(tiedValues: readonly number[], score: number): number {
  let inversions = Float64Array.of(1);
  let placed = 0;
  for (const size of tiedValues) {
    inversions = convolved(inversions, rankSumNull(placed, size));
    placed += size;
  }
  const comparable = inversions.length - 1;
  const distance = Math.abs(score);
  const extreme = inversions.filter((_p, count) => Math.abs(comparable - 2 * count) >= distance);
  return Math.min(
    1,
    extreme.reduce((sum, p) => sum + p, 0),
  );
}

function normalP(
  n: number,
  tiedTimes: readonly number[],
  tiedValues: readonly number[],
  score: number,
): number {
  const spread = (size: number): number => size * (size - 1) * (2 * size + 5);
  const pairs = (size: number): number => size * (size - 1);
  const triples = (size: number): number => size * (size - 1) * (size - 2);
  const over = (sizes: readonly number[], term: (size: number) => number): number =>
    sizes.reduce((sum, size) => sum + term(size), 0);
  const variance =
    (spread(n) - over(tiedTimes, spread) - over(tiedValues, spread)) / 18 +
    (over(tiedTimes, pairs) * over(tiedValues, pairs)) / (2 * pairs(n)) +
    (n < 3 ? 0 : (over(tiedTimes, triples) * over(tiedValues, triples)) / (9 * triples(n)));
  return Math.min(1, 2 * normalCdf(-Math.abs(score) / Math.sqrt(variance)));
}
