/** The smallest p a design can give at all, whatever the results: complete separation without ties. */

/**
 * Two-sided exact rank-sum test (Mann–Whitney) of two arms: 2 / C(nA + nB, nA), at most 1; null for an
 * empty arm. Ties make it larger where the arms have one size; else they can also halve it.
 */
export function smallestRankSumP(nA: number, nB: number): number | null {
  if (nA < 1 || nB < 1) return null;
  let p = 2;
  // C(nA + nB, nA) as a product; each step divides, so that large arms go to 0 and never to infinity.
  for (let i = 1; i <= nA; i++) p *= i / (nB + i);
  return Math.min(1, p);
}

/** Two-sided exact sign test over `tasks` tasks that all go one way: 2 / 2^tasks; null without tasks. */
export function smallestSignTestP(tasks: number): number | null {
  return tasks < 1 ? null : Math.min(1, 2 ** (1 - tasks));
}

/** Results per arm from which a comparison can reach `alpha` at all. `alpha` lies between 0 and 1. */
export function repeatsToReach(alpha: number): number {
  let repeats = 1;
  while ((smallestRankSumP(repeats, repeats) ?? 1) > alpha) repeats++;
  return repeats;
}

/** Tasks from which the sign test can reach `alpha` at all. */
export function tasksToReach(alpha: number): number {
  return Math.max(1, Math.ceil(1 - Math.log2(alpha)));
}
