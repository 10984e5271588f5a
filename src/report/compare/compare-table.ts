/** The comparisons of any table: a value, the group it belongs to and, if there is one, its block. */

import { compareArms } from './compare-arms.js';
import type { Comparisons } from './comparison-types.js';

export interface TableRow {
  readonly group: string;
  /** Null: measured nothing, left out. */
  readonly value: number | null;
  /** Rows are compared inside a block only; null in a table without blocks. */
  readonly block: string | null;
}

export interface TableQuestion {
  /** Name of the value, for the reader. */
  readonly metric: string;
  /** Baseline. */
  readonly a: string;
  readonly b: string;
  readonly alpha: number;
}

/** Tests over blocks are left out of a table that has none. */
export function compareTable(
  rows: readonly TableRow[],
  { metric, a, b, alpha }: TableQuestion,
): Comparisons {
  const blocks = new Map<string | null, Map<string, number[]>>();
  for (const { group, value, block } of rows) {
    if (value === null || (group !== a && group !== b)) continue;
    const groups = blocks.get(block) ?? new Map<string, number[]>();
    blocks.set(block, groups);
    const values = groups.get(group);
    if (values === undefined) groups.set(group, [value]);
    else values.push(value);
  }
  if (blocks.size === 0) blocks.set(null, new Map());
  const arms = [...blocks].map(([block, groups]) => ({
    agent: null,
    task: block,
    values: (group: string) => groups.get(group) ?? [],
  }));
  const scope = { conditions: [a, b], metrics: [metric], primary: [], alpha };
  const found = compareArms(arms, scope);
  const hasBlocks = [...blocks.keys()].some((block) => block !== null);
  return hasBlocks ? found : { ...found, signTests: [], blocked: [] };
}
