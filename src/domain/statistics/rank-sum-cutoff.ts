import { rankSumTails } from './rank-sum-tails.js';

export interface RankSumCutoff {
  readonly u: number;
  /** Probability of a U at most as large or at least nA·nB − u. */
  readonly p: number;
}

/**
 * The largest u for which U ≤ u or U ≥ nA·nB − u has at most probability `alpha`, for two samples from
 * one population without ties (R: `qwilcox(alpha / 2, nA, nB) - 1`, or that quantile where its tail is
 * alpha/2 exactly). Null when even complete separation has more, or an arm is empty.
 */
export function rankSumCutoff(nA: number, nB: number, alpha: number): RankSumCutoff | null {
  if (nA === 0 || nB === 0) return null;
  const size = Math.min(nA, nB);
  const ranks = Array.from({ length: nA + nB }, (_, index) => index + 1);
  const tails = rankSumTails(ranks, size);
  const twoSided = (u: number): number => 2 * tails.share(u + (size * (size + 1)) / 2, Infinity);
  let u = -1;
  let tooLarge = Math.ceil((nA * nB) / 2);
  while (tooLarge - u > 1) {
    const middle = Math.floor((u + tooLarge) / 2);
    // A tail that is exactly alpha counts; the slack is far above the rounding of the sum.
    if (twoSided(middle) <= alpha * (1 + 1e-12)) u = middle;
    else tooLarge = middle;
  }
  return u < 0 ? null : { u, p: twoSided(u) };
}
