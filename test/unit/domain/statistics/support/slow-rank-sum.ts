/** The rank-sum test by its definition: slow, and with nothing in common with the code under test. */

/** Every assignment of the pooled values to arms of these sizes, one bit mask each. */
export function bruteForceP(a: readonly number[], b: readonly number[]) {
  const pool = [...a, ...b];
  const mean = (a.length * b.length) / 2;
  const distances: number[] = [];
  for (let mask = 0; mask < 2 ** pool.length; mask += 1) {
    const inA = pool.filter((_value, index) => ((mask >> index) & 1) === 1);
    if (inA.length !== a.length) continue;
    const inB = pool.filter((_value, index) => ((mask >> index) & 1) === 0);
    distances.push(Math.abs(uOf(inA, inB) - mean));
  }
  const u = uOf(a, b);
  const farthest = Math.max(...distances);
  return {
    u,
    extreme: distances.filter((distance) => distance >= Math.abs(u - mean)).length,
    smallest: distances.filter((distance) => distance === farthest).length,
    all: distances.length,
  };
}

/** Pairs with a > b, ties as half. */
function uOf(a: readonly number[], b: readonly number[]): number {
  let u = 0;
  for (const x of a) for (const y of b) u += x > y ? 1 : x === y ? 0.5 : 0;
  return u;
}

/** Subsets of `size` ranks whose sum is at least `distance` from the mean, counted without rounding. */
export function bigintTwoSidedCount(
  ranks: readonly number[],
  size: number,
  distance: number,
): bigint {
  // rows[k][sum]: subsets of k ranks, in the order of the ranks; an entry that is missing is none.
  const rows = Array.from({ length: size + 1 }, (): bigint[] => []);
  rows[0]?.push(1n);
  for (const [seen, rank] of ranks.entries()) {
    for (let k = Math.min(size, seen + 1); k >= 1; k -= 1) {
      const row = rows[k] ?? [];
      rows[k - 1]?.forEach((ways, sum) => (row[sum + rank] = (row[sum + rank] ?? 0n) + ways));
    }
  }
  const mean = size * (ranks.length + 1);
  let count = 0n;
  rows[size]?.forEach((ways, sum) => (count += Math.abs(sum - mean) >= distance ? ways : 0n));
  return count;
}
