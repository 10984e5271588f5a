/** The middle value, or the mean of the two middle ones (R: `median`). Null without values. */
export function median(values: readonly number[]): number | null {
  return medianOfSorted(Float64Array.from(values).sort());
}

/** The same for values that are in ascending order already. */
export function medianOfSorted(sorted: Float64Array): number | null {
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (upper === undefined) return null;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[sorted.length / 2 - 1] ?? upper) + upper) / 2;
}

/** Change from `baseline` to `value` in percent of the baseline. Null for a baseline of 0 or a missing side. */
export function percentChange(baseline: number | null, value: number | null): number | null {
  if (baseline === null || value === null || baseline === 0) return null;
  return ((value - baseline) / baseline) * 100;
}
