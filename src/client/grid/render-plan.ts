import type { PlannedCell } from '../../domain/plan/cell.js';
import { cellLabel } from '../../domain/plan/cell.js';
import { pendingCells } from '../../domain/plan/progress.js';
import { planHash } from '../../storage/plan-status.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';

/** A dry run is about order and count: what a start would run, nothing else. */
export function printPlan(
  cli: CliContext,
  cells: readonly PlannedCell[],
  redoDone: boolean,
  json: boolean,
): void {
  const wanted = pendingCells(cells, redoDone);
  if (json) {
    printJson(cli, 'plan', { planHash: planHash(cells, {}), total: wanted.length, cells: wanted });
    return;
  }
  const repeats = Math.max(1, ...cells.map((cell) => cell.repeat));
  for (const cell of wanted) printLine(cli, `${cell.index}. ${cellLabel(cell, repeats)}`);
  printLine(cli, `${wanted.length} of ${cells.length} cells would run`);
}
