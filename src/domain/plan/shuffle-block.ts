/** `order: random`: one task's cells in an order that only the seed and the task id decide. */

import { below, seededBits, type RandomBits } from '../random/seeded-bits.js';
import type { Cell } from './cell.js';

/**
 * Fisher–Yates shuffle of one task block with bits derived from `seed` and the task id, so the order of
 * a task does not depend on which other tasks the filters leave. The repeats of a cell are exchangeable
 * and are numbered in the order in which they come: repeat r is done as soon as r results count, so a
 * later number must never run first.
 */
export function shuffleBlock(block: readonly Cell[], seed: number): readonly Cell[] {
  const first = block[0];
  if (first === undefined) return block;
  const cells = shuffled(block, seededBits(`${seed}\n${first.task}`));
  return renumbered(cells, block);
}

function shuffled(block: readonly Cell[], bits: RandomBits): readonly Cell[] {
  const rest = [...block];
  const drawn: Cell[] = [];
  while (rest.length > 0) drawn.push(...rest.splice(below(bits, rest.length), 1));
  return drawn;
}

function renumbered(cells: readonly Cell[], block: readonly Cell[]): readonly Cell[] {
  const waiting = new Map<string, number[]>();
  for (const cell of block) {
    const repeats = waiting.get(key(cell)) ?? [];
    repeats.push(cell.repeat);
    waiting.set(key(cell), repeats);
  }
  return cells.map((cell) => ({ ...cell, repeat: waiting.get(key(cell))?.shift() ?? cell.repeat }));
}

function key(cell: Cell): string {
  return `${cell.agent}\n${cell.condition}`;
}
