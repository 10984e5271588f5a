/** `plan` for a person: the cells, their count, then in words what they can show and cost. */

import type { Experiment } from '../../domain/experiment/experiment.js';
import { cellLabel, type PlannedCell } from '../../domain/plan/cell.js';
import type { PlanFigures } from '../../domain/plan/figures.js';
import { repeatsToReach, tasksToReach } from '../../domain/statistics/smallest-p.js';

export function planLines(
  experiment: Experiment,
  cells: readonly PlannedCell[],
  toRun: readonly PlannedCell[],
  figures: PlanFigures,
): readonly string[] {
  const digits = String(cells.length).length;
  const done = cells.filter((cell) => cell.done).length;
  return [
    ...cells.map((cell) => {
      const number = String(cell.index).padStart(digits);
      return `${number}. ${cellLabel(cell, experiment.repeats)}${cell.done ? ' (done)' : ''}`;
    }),
    `${cells.length} cells: ${done} done, ${toRun.length} to run`,
    '',
    comparisonLine(experiment, figures),
    ...signTestLines(cells, figures),
    ...effectLines(experiment, figures),
    costLine(experiment, figures),
  ];
}

function comparisonLine({ repeats }: Experiment, { alpha, smallestP }: PlanFigures): string {
  if (smallestP === null) return 'Nothing to compare: there is one condition.';
  const arms = `${results(repeats)} against ${repeats}`;
  const smallest = `Smallest p of one comparison (${arms}): ${round(smallestP)}.`;
  if (smallestP <= alpha) return smallest;
  return `${smallest} None can be significant at alpha ${alpha}: set repeats: ${repeatsToReach(alpha)} or more.`;
}

function signTestLines(
  cells: readonly PlannedCell[],
  { alpha, smallestSignTestP }: PlanFigures,
): readonly string[] {
  if (smallestSignTestP === null) return [];
  const tasks = new Set(cells.map((cell) => cell.task)).size;
  const over = tasks === 1 ? '1 task' : `${tasks} tasks`;
  const smallest = `Smallest p of the sign test over ${over}: ${round(smallestSignTestP)}.`;
  const wanted = tasksToReach(alpha);
  return [
    smallestSignTestP <= alpha
      ? smallest
      : `${smallest} It takes ${wanted} tasks for alpha ${alpha}.`,
  ];
}

function effectLines(
  { repeats }: Experiment,
  { alpha, smallestP, detectableEffect }: PlanFigures,
): readonly string[] {
  if (smallestP === null) return [];
  if (detectableEffect === null) {
    return [`Detectable effect with 80% power: none with ${results(repeats)} per cell.`];
  }
  const { percent, power, assumedLnSd } = detectableEffect;
  return [
    `Detectable effect with ${power * 100}% power: about +${percent}% in tokens or seconds, one comparison at alpha ${alpha}`,
    `  (assuming that ln(value) has a standard deviation of ${assumedLnSd} inside a cell).`,
  ];
}

function costLine({ trial }: Experiment, { costBoundUsd }: PlanFigures): string {
  if (costBoundUsd === null)
    return 'Cost bound: unknown; set max_cost_usd under trial: to have one.';
  if (costBoundUsd === 0) return 'Cost bound: $0.00, no paid trial is to run.';
  return `Cost bound: $${costBoundUsd.toFixed(2)} at $${trial.maxCostUsd} a paid trial; re-runs of void trials come on top.`;
}

function results(count: number): string {
  return count === 1 ? '1 result' : `${count} results`;
}

/** Two significant digits. */
function round(p: number): number {
  return Number(p.toPrecision(2));
}
