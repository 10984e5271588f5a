/** Ranks of pooled values; doubled, so that the mean of tied ranks stays an integer. */

export interface DoubledRanks {
  /** In the order of the values: twice the mean of the ranks (from 1) that the tied values span. */
  readonly ofValues: readonly number[];
  readonly ascending: readonly number[];
}

/** Twice the mid-ranks (R: `2 * rank(values)`). Values must not be NaN. */
export function doubledMidRanks(values: readonly number[]): DoubledRanks {
  const order = values.map((_value, index) => index);
  const valueAt = (index: number): number => values[index] ?? NaN;
  order.sort((a, b) => valueAt(a) - valueAt(b));
  const ofValues = new Array<number>(values.length).fill(0);
  const ascending: number[] = [];
  for (let first = 0; first < order.length;) {
    let end = first;
    while (end < order.length && valueAt(order[end] ?? 0) === valueAt(order[first] ?? 0)) end++;
    const doubled = first + 1 + end;
    for (const index of order.slice(first, end)) {
      ofValues[index] = doubled;
      ascending.push(doubled);
    }
    first = end;
  }
  return { ofValues, ascending };
}
