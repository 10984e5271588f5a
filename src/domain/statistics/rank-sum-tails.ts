/**
 * Both tails of the rank sum of one sample over all label assignments, exact. The ranks are cut into a
 * lower and an upper half; subsets of each are counted by size and sum, and every split of the sample over
 * the halves is added up. That takes n⁴/12 additions for n against n, a third of counting in one piece,
 * and up to 112 values the counts of the halves are whole numbers below 2^53: nothing is rounded.
 */

import { ProductSum } from './exact-products.js';
import { hypergeometric } from './mode-weights.js';
import { LARGEST_EXACT_SET, subsetSums, type SumCounts } from './subset-sums.js';

/** The share or number of assignments whose rank sum is at most `low` or at least `high`. */
export interface RankSumTails {
  /** To about 1e-13 of itself, whatever the size. */
  share(low: number, high: number): number;
  /** Null above 112 values. */
  count(low: number, high: number): bigint | null;
}

/**
 * @param ascending doubled mid-ranks of all values (or any whole numbers), in ascending order
 * @param size values in the sample; the work is least when it is the smaller one
 */
export function rankSumTails(ascending: readonly number[], size: number): RankSumTails {
  const first = ascending[0] ?? 0;
  const step = ascending.reduce((divisor, rank) => gcd(divisor, rank - first), 0) || 1;
  const steps = ascending.map((rank) => (rank - first) / step);
  const half = Math.ceil(steps.length / 2);
  const lower = subsetSums(steps.slice(0, half), size);
  const upper = subsetSums(steps.slice(half), size).map(withCumulated);
  const splits = lower.flatMap((fromLower, k) => {
    const fromUpper = upper[size - k];
    return fromUpper === undefined ? [] : [{ fromLower, fromUpper }];
  });
  const weights = hypergeometric(half, steps.length - half, size).probabilities;
  const lowest = (low: number): number => Math.floor((low - size * first) / step);
  const highest = (high: number): number => Math.ceil((high - size * first) / step);
  return {
    share(low, high) {
      const shares = splits.map((split, index) => {
        const ways = new PlainSum();
        addTails(split, lowest(low), highest(high), ways);
        const { fromLower, fromUpper } = split;
        const ofUpper = fromUpper.atLeast[0] ?? 1;
        return ((weights[index] ?? 0) * ways.total) / ofUpper / sumOf(fromLower.counts);
      });
      return shares.reduce((sum, share) => sum + share, 0);
    },
    count(low, high) {
      if (half > LARGEST_EXACT_SET) return null;
      const ways = new ProductSum();
      for (const split of splits) addTails(split, lowest(low), highest(high), ways);
      return ways.total;
    },
  };
}

class PlainSum {
  total = 0;

  add(x: number, y: number): void {
    this.total += x * y;
  }
}

interface CumulatedSums extends Pick<SumCounts, 'smallest'> {
  /** Entry i: subsets with a sum of at most `smallest + i`. */
  readonly atMost: Float64Array;
  readonly atLeast: Float64Array;
}

interface Split {
  readonly fromLower: SumCounts;
  readonly fromUpper: CumulatedSums;
}

/** For every sum of the lower half: the ways in which the upper half brings it down or up far enough. */
function addTails(
  { fromLower, fromUpper }: Split,
  low: number,
  high: number,
  ways: PlainSum | ProductSum,
): void {
  const { counts } = fromLower;
  const { atMost, atLeast } = fromUpper;
  const smallest = fromLower.smallest + fromUpper.smallest;
  const last = atMost.length - 1;
  for (let at = Math.min(counts.length - 1, low - smallest); at >= 0; at--) {
    ways.add(counts[at] ?? 0, atMost[Math.min(last, low - smallest - at)] ?? 0);
  }
  for (let at = Math.max(0, high - smallest - last); at < counts.length; at++) {
    ways.add(counts[at] ?? 0, atLeast[Math.max(0, high - smallest - at)] ?? 0);
  }
}

function withCumulated({ smallest, counts }: SumCounts): CumulatedSums {
  const atMost = counts;
  const atLeast = Float64Array.from(counts);
  const last = counts.length - 1;
  for (let at = 1; at <= last; at++) {
    atLeast[last - at] = (atLeast[last - at] ?? 0) + (atLeast[last - at + 1] ?? 0);
    atMost[at] = (atMost[at] ?? 0) + (atMost[at - 1] ?? 0);
  }
  return { smallest, atMost, atLeast };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function sumOf(counts: Float64Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
