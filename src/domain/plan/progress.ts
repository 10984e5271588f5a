/** Which cells of a plan have their result, which are still to run. */

import type { Cell, PlannedCell } from './cell.js';

/** A place for results: the repeats of a cell share one. */
export type CellPlace = Omit<Cell, 'repeat'>;

/** Text that is equal exactly for cells that share a place. */
export function placeKey(cell: CellPlace): string {
  return JSON.stringify([cell.task, cell.agent, cell.condition]);
}

/** Repeat r of a cell is done when at least r results count; the repeats are exchangeable. */
export function markDone(
  cells: readonly Cell[],
  countedAt: (place: CellPlace) => number,
): readonly PlannedCell[] {
  return cells.map((cell, index) => ({
    ...cell,
    index: index + 1,
    done: countedAt(cell) >= cell.repeat,
  }));
}

/** What a start would run; indexes stay those of the whole plan. */
export function pendingCells(
  plan: readonly PlannedCell[],
  redoDone: boolean,
): readonly PlannedCell[] {
  return redoDone ? plan : plan.filter((cell) => !cell.done);
}
