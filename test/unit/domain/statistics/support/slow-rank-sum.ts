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
  const rows = Array.from({ length: size + 1 }, () => new Map<number, bigint>());
  rows[0]?.set(0, 1n);
  for (const rank of ranks) {
    for (let k = size; k >= 1; k -= 1) {
      const row = rows[k];
      for (const [sum, ways] of rows[k - 1] ?? []) {
        row?.set(sum + rank, (row.get(sum + rank) ?? 0n) + ways);
      }
    }
  }
  const mean = size * (ranks.length + 1);
  let count = 0n;
  for (const [sum, ways] of rows[size] ?? []) if (Math.abs(sum - mean) >= distance) count += ways;
  return count;
}
