import { hypergeometric } from './mode-weights.js';

/** Outcomes of one arm. */
export interface PassCount {
  readonly passed: number;
  readonly n: number;
}

/**
 * Two-sided p of Fisher's exact test that both arms have the same pass rate: the probability of all tables
 * with these margins that are at most as likely as this one (R: `fisher.test(table)$p.value`, with its
 * slack of 1e-7 for tables that are equally likely). Null for an empty arm.
 * Source: R. A. Fisher, "Statistical Methods for Research Workers", 5th edition, 1934.
 */
export function fisherExactP(a: PassCount, b: PassCount): number | null {
  if (a.n === 0 || b.n === 0) return null;
  const passed = a.passed + b.passed;
  const { low, probabilities } = hypergeometric(passed, a.n + b.n - passed, a.n);
  const limit = (probabilities[a.passed - low] ?? 0) * (1 + 1e-7);
  const extreme = probabilities.filter((p) => p <= limit);
  return Math.min(
    1,
    extreme.reduce((sum, p) => sum + p, 0),
  );
}
