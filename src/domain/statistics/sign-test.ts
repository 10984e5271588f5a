/** The exact two-sided sign test (R: `binom.test(wins, wins + losses)`). */

import { binomial, ratio } from './exact-products.js';
import { smallestSignTestP } from './smallest-p.js';

export interface SignTest {
  readonly wins: number;
  readonly losses: number;
  /** Differences of 0; they are left out. */
  readonly ties: number;
  /** wins + losses */
  readonly n: number;
  /** Null when nothing but ties is left. */
  readonly p: number | null;
  /** Not reduced; the denominator is 2^n. */
  readonly pFraction: string | null;
  readonly minP: number | null;
}

/** p is the share of outcomes of n fair coins that are at most as likely as this one. */
export function signTest(differences: readonly number[]): SignTest {
  const wins = differences.filter((difference) => difference > 0).length;
  const losses = differences.filter((difference) => difference < 0).length;
  const n = wins + losses;
  const counts = { wins, losses, ties: differences.length - n, n };
  if (n === 0) return { ...counts, p: null, pFraction: null, minP: null };
  let tail = 0n;
  let ways = 1n;
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    tail += ways;
    ways = (ways * BigInt(n - k)) / BigInt(k + 1);
  }
  const all = 1n << BigInt(n);
  // Both tails meet, and share their middle, when wins and losses are equal.
  const middle = wins === losses ? binomial(n, wins) : 0n;
  const extreme = 2n * tail - middle;
  return {
    ...counts,
    p: ratio(extreme, all),
    pFraction: `${extreme}/${all}`,
    minP: smallestSignTestP(n),
  };
}
