/** The plan as it stands on disk: which cells have their results, what else was tried. */

import { join, relative } from 'node:path';
import type { Cell, GridFilters, PlannedCell } from '../domain/plan/cell.js';
import { planBasis } from '../domain/plan/plan-basis.js';
import { planCells, type PlannedExperiment } from '../domain/plan/plan-cells.js';
import { markDone, placeKey } from '../domain/plan/progress.js';
import { forEachLimited } from '../support/for-each-limited.js';
import { sha256 } from '../support/hash.js';
import { planProblemError } from './plan-problem.js';
import { cellDir, listAttempts, type Attempt } from './results-tree.js';

const FOLDERS_AT_A_TIME = 32;

/** Cells first, then every attempt on disk that lies in one of their folders. */
export interface AttemptCounts {
  /** Cells of the plan. `done + pending` is all of them. */
  readonly total: number;
  readonly done: number;
  readonly pending: number;
  /** Counted results by what the agent achieved. */
  readonly passed: number;
  readonly failed: number;
  /** Closed attempts that are no result, ungraded and unreadable ones too. */
  readonly void: number;
  /** How many of `void` have the status `ungraded`. */
  readonly ungraded: number;
}

export interface PlanStatus {
  readonly cells: readonly PlannedCell[];
  readonly counts: AttemptCounts;
  /** Records that are damaged, relative to the experiment: their attempts count as not done. */
  readonly damaged: readonly string[];
}

/**
 * Cells of the filtered plan, in order.
 * @throws LlmxError `filter_matches_nothing`, `unknown_agent`
 */
export function requiredCells(
  experiment: PlannedExperiment,
  filters: GridFilters,
): readonly Cell[] {
  const plan = planCells(experiment, filters);
  if (!plan.ok) throw planProblemError(plan.problem, experiment.tasks);
  return plan.cells;
}

/** @throws LlmxError `filter_matches_nothing`, `unknown_agent` */
export async function loadPlan(
  experimentDir: string,
  experiment: PlannedExperiment,
  filters: GridFilters,
): Promise<readonly PlannedCell[]> {
  return (await loadPlanStatus(experimentDir, experiment, filters)).cells;
}

/** @throws LlmxError `filter_matches_nothing`, `unknown_agent` */
export async function countAttempts(
  experimentDir: string,
  experiment: PlannedExperiment,
  filters: GridFilters,
): Promise<AttemptCounts> {
  return (await loadPlanStatus(experimentDir, experiment, filters)).counts;
}

/**
 * {@link loadPlan} and {@link countAttempts} in one walk over the cells' folders.
 * @throws LlmxError `filter_matches_nothing`, `unknown_agent`
 */
export async function loadPlanStatus(
  experimentDir: string,
  experiment: PlannedExperiment,
  filters: GridFilters,
): Promise<PlanStatus> {
  const cells = requiredCells(experiment, filters);
  const places = new Map(cells.map((cell) => [placeKey(cell), cell]));
  const counted = new Map<string, number>();
  const attempts = { passed: 0, failed: 0, void: 0, ungraded: 0 };
  const damaged: string[] = [];
  await forEachLimited(places, FOLDERS_AT_A_TIME, async ([key, cell]) => {
    for (const attempt of await listAttempts(cellDir(experimentDir, cell))) {
      if (attempt.state === 'counted') counted.set(key, (counted.get(key) ?? 0) + 1);
      if (attempt.state === 'broken') {
        damaged.push(relative(experimentDir, join(attempt.dir, 'meta.json')));
      }
      tally(attempts, attempt);
    }
  });
  const planned = markDone(cells, (place) => counted.get(placeKey(place)) ?? 0);
  const done = planned.filter((cell) => cell.done).length;
  return {
    cells: planned,
    counts: { total: cells.length, done, pending: cells.length - done, ...attempts },
    damaged: damaged.sort(),
  };
}

/** sha256 of the plan: see {@link planBasis}. */
export function planHash(cells: readonly Cell[], facts: Readonly<Record<string, string>>): string {
  return sha256(planBasis(cells, facts));
}

type AttemptTally = { -readonly [K in 'passed' | 'failed' | 'void' | 'ungraded']: number };

function tally(counts: AttemptTally, { state, meta }: Attempt): void {
  if (state === 'open') return;
  if (state === 'counted') {
    if (meta?.['passed'] === true) counts.passed++;
    else counts.failed++;
    return;
  }
  counts.void++;
  if (meta?.['status'] === 'ungraded') counts.ungraded++;
}
