/** Exact sums of products of whole numbers, without a BigInt for every product. */

const HALF = 2 ** 24;
const FULL = 2 ** 52;

/** A sum of whole numbers of at most 2^50 each. */
class WholeSum {
  #low = 0;
  #carries = 0;

  add(value: number): void {
    this.#low += value;
    if (this.#low >= FULL) {
      this.#low -= FULL;
      this.#carries++;
    }
  }

  get total(): bigint {
    return (BigInt(this.#carries) << 52n) + BigInt(this.#low);
  }
}

/** Adds up products of two whole numbers from 0 to 2^48 each. */
export class ProductSum {
  readonly #high = new WholeSum();
  readonly #middle = new WholeSum();
  readonly #low = new WholeSum();

  add(x: number, y: number): void {
    const xHigh = Math.floor(x / HALF);
    const yHigh = Math.floor(y / HALF);
    const xLow = x - xHigh * HALF;
    const yLow = y - yHigh * HALF;
    this.#high.add(xHigh * yHigh);
    this.#middle.add(xHigh * yLow + xLow * yHigh);
    this.#low.add(xLow * yLow);
  }

  get total(): bigint {
    return (this.#high.total << 48n) + (this.#middle.total << 24n) + this.#low.total;
  }
}

/** C(n, k): ways to choose k of n (R: `choose`). */
export function binomial(n: number, k: number): bigint {
  let ways = 1n;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * BigInt(n - i + 1)) / BigInt(i);
  return k < 0 || k > n ? 0n : ways;
}

/** `part / whole` to the precision of a number, also where both are beyond the largest one. */
export function ratio(part: bigint, whole: bigint): number {
  if (whole < 1n << 1000n) return Number(part) / Number(whole);
  return Number((part << 1000n) / whole) / 2 ** 1000;
}
