/**
 * Distribution of the Mann–Whitney U of two samples from one population without ties: entry u is the
 * probability of U = u, for u from 0 to nA·nB (R: `dwilcox(u, nA, nB)`).
 * Recursion of H. B. Mann and D. R. Whitney, Annals of Mathematical Statistics 18, 1947, on
 * probabilities: the largest value of all belongs to sample A with probability a / (a + b).
 */
export function rankSumNull(nA: number, nB: number): Float64Array {
  // row[b] is the distribution for (a, b) as `a` grows from 0.
  let row: readonly Float64Array[] = Array.from({ length: nB + 1 }, () => Float64Array.of(1));
  for (let a = 1; a <= nA; a++) {
    const next: Float64Array[] = [Float64Array.of(1)];
    for (let b = 1; b <= nB; b++) next.push(mixed(row[b], next[b - 1], a, b));
    row = next;
  }
  return row[nB] ?? Float64Array.of(1);
}

function mixed(
  withoutA: Float64Array | undefined,
  withoutB: Float64Array | undefined,
  a: number,
  b: number,
): Float64Array {
  const mix = new Float64Array(a * b + 1);
  withoutA?.forEach((p, u) => (mix[u + b] = (a / (a + b)) * p));
  withoutB?.forEach((p, u) => (mix[u] = (mix[u] ?? 0) + (b / (a + b)) * p));
  return mix;
}
