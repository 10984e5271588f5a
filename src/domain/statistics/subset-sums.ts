/**
 * How many subsets of sorted whole numbers have a given sum, by size of the subset: the counting behind
 * the exact rank-sum test (the "shift algorithm" of B. Streitberg and J. Röhmel, Computational Statistics
 * Newsletter 12, 1986).
 */

/** Counts by sum, the smallest sum that a subset of this size can have first. */
export interface SumCounts {
  readonly smallest: number;
  readonly counts: Float64Array;
}

/** From this many numbers on, counts may be over 2^53 and therefore rounded. C(56, 28) is below it. */
export const LARGEST_EXACT_SET = 56;

/**
 * Entry k holds the subsets of k numbers. Exact up to {@link LARGEST_EXACT_SET} numbers; beyond, rounded
 * to about 1e-14 (only additions of positive numbers) and below 1e308 up to 1,000 numbers.
 * @param ascending whole numbers in ascending order
 * @param largestSize subsets with more numbers are not counted
 */
export function subsetSums(ascending: readonly number[], largestSize: number): SumCounts[] {
  const sizes = Math.min(largestSize, ascending.length);
  const counted = Math.min(sizes, Math.floor(ascending.length / 2));
  const prefix = [0];
  for (const number of ascending) prefix.push((prefix.at(-1) ?? 0) + number);
  const sumOf = (from: number, end: number): number => (prefix[end] ?? 0) - (prefix[from] ?? 0);
  /** Entries in use among the first `seen` numbers: from the k smallest to the k largest of them. */
  const span = (k: number, seen: number): number => sumOf(seen - k, seen) - sumOf(0, k) + 1;
  const rows = Array.from({ length: counted + 1 }, (_, k) => {
    return new Float64Array(span(k, ascending.length));
  });
  rows[0]?.fill(1);
  for (const [seen, number] of ascending.entries()) {
    // Downwards, so that no subset takes the same number twice.
    for (let k = Math.min(seen + 1, counted); k >= 1; k--) {
      const smaller = rows[k - 1] ?? new Float64Array();
      addShifted(rows[k] ?? smaller, smaller, number - (ascending[k - 1] ?? 0), span(k - 1, seen));
    }
  }
  // A subset leaves out as many of the largest as its complement has of the smallest.
  for (let k = counted + 1; k <= sizes; k++) {
    rows.push(Float64Array.from(rows[ascending.length - k] ?? []).reverse());
  }
  return rows.map((counts, k) => ({ smallest: sumOf(0, k), counts }));
}

function addShifted(into: Float64Array, from: Float64Array, shift: number, length: number): void {
  for (let at = 0; at < length; at++) into[at + shift] = (into[at + shift] ?? 0) + (from[at] ?? 0);
}
