/** Sum of numbers that are known; null as soon as one is not. */
export function sumKnown(values: Iterable<number | null>): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

/** Metrics without those that are null or undefined: a figure that is not known is left out, never 0. */
export function known(metrics: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value != null));
}
