import type { PlannedCell } from '../../domain/plan/cell.js';
import { cellLabel } from '../../domain/plan/cell.js';
import { pendingCells } from '../../domain/plan/progress.js';
import type { ExperimentFolder } from '../../storage/experiment-folder.js';
import { planFacts } from '../../storage/plan-facts.js';
import { planHash } from '../../storage/plan-status.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';

/** A dry run is about order and count: what a start would run, nothing else. */
export async function printPlan(
  cli: CliContext,
  open: Pick<ExperimentFolder, 'dir' | 'text' | 'experiment'>,
  cells: readonly PlannedCell[],
  flags: { readonly redoDone: boolean; readonly json: boolean },
): Promise<void> {
  const wanted = pendingCells(cells, flags.redoDone);
  if (flags.json) {
    const hash = planHash(cells, await planFacts(open, cells));
    printJson(cli, 'plan', { planHash: hash, total: wanted.length, cells: wanted });
    return;
  }
  const repeats = Math.max(1, ...cells.map((cell) => cell.repeat));
  for (const cell of wanted) printLine(cli, `${cell.index}. ${cellLabel(cell, repeats)}`);
  printLine(cli, `${wanted.length} of ${cells.length} cells would run`);
}
