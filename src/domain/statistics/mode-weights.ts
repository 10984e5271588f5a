/**
 * Probabilities of whole numbers from `low` to `high` that are known by the ratio of neighbours, such as
 * the binomial and the hypergeometric ones. Worked out from the most likely number downwards and upwards,
 * so that nothing overflows and only what is negligible becomes 0.
 * @param ratio weight of `k + 1` divided by the weight of `k`; falls as k grows
 * @returns entry i is the probability of `low + i`
 */
export function weightsFromRatios(
  low: number,
  high: number,
  ratio: (k: number) => number,
): Float64Array {
  let mode = low;
  while (mode < high && ratio(mode) > 1) mode++;
  const weights = new Float64Array(high - low + 1);
  weights[mode - low] = 1;
  for (let k = mode; k < high; k++) weights[k + 1 - low] = (weights[k - low] ?? 0) * ratio(k);
  for (let k = mode - 1; k >= low; k--) weights[k - low] = (weights[k + 1 - low] ?? 0) / ratio(k);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The hypergeometric distribution. */
export interface Hypergeometric {
  /** Smallest possible number of marked ones in the draw. */
  readonly low: number;
  /** Entry i is the probability of `low + i`. */
  readonly probabilities: Float64Array;
}

/** Marked ones in a draw without replacement (R: `dhyper(x, marked, unmarked, drawn)`). */
export function hypergeometric(marked: number, unmarked: number, drawn: number): Hypergeometric {
  const low = Math.max(0, drawn - unmarked);
  const high = Math.min(marked, drawn);
  const ratio = (k: number): number =>
    ((marked - k) * (drawn - k)) / ((k + 1) * (unmarked - drawn + k + 1));
  return { low, probabilities: weightsFromRatios(low, high, ratio) };
}
