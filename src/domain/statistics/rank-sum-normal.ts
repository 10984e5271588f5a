/** The normal approximation of rank-sum tests, for sizes at which counting would take minutes. */

import { normalCdf, normalQuantile } from './normal.js';

/**
 * Variance of the doubled rank sum of one sample over all label assignments, ties included.
 * Source: E. L. Lehmann, "Nonparametrics", 1975, section 1.4.
 * @param ascending doubled mid-ranks of all values
 */
export function doubledRankSumVariance(ascending: readonly number[], size: number): number {
  const total = ascending.length;
  if (total < 2) return 0;
  const squares = ascending.reduce((sum, rank) => sum + (rank - total - 1) ** 2, 0);
  return (size * (total - size) * squares) / (total * (total - 1));
}

/**
 * Two-sided p of a distance from the mean (R: `wilcox.test(exact = FALSE, correct = TRUE)`).
 * @param step smallest difference between two possible values: half of it is the continuity correction
 */
export function normalTwoSidedP(distance: number, variance: number, step: number): number {
  if (variance === 0) return 1;
  const corrected = Math.max(0, distance - step / 2);
  return Math.min(1, 2 * normalCdf(-corrected / Math.sqrt(variance)));
}

/**
 * Which differences bound the interval of the shift, by the normal approximation (R: `wilcox.test` does it
 * another way). `confidence` is nominal here.
 */
export function normalIntervalRank(
  nA: number,
  nB: number,
  confidence = 0.95,
): { readonly k: number; readonly confidence: number } {
  const spread = Math.sqrt((nA * nB * (nA + nB + 1)) / 12);
  const z = normalQuantile(0.5 + confidence / 2);
  return { k: Math.max(1, Math.floor((nA * nB) / 2 - z * spread)), confidence };
}
