/** The grid as a list: which cells, in which order. The order is part of the measurement. */

import type { Experiment } from '../experiment/experiment.js';
import type { Cell, GridFilters } from './cell.js';
import { shuffleBlock } from './shuffle-block.js';

export type PlannedExperiment = Pick<
  Experiment,
  'agents' | 'conditions' | 'tasks' | 'repeats' | 'order'
>;

/** Why there is no plan; both are mistakes in the filters. */
export type PlanProblem =
  | { readonly kind: 'no-tasks-match'; readonly filters: GridFilters }
  | {
      readonly kind: 'unknown-agents';
      readonly unknown: readonly string[];
      readonly declared: readonly string[];
    };

export type PlanCellsResult =
  | { readonly ok: true; readonly cells: readonly Cell[] }
  | { readonly ok: false; readonly problem: PlanProblem };

/**
 * Every cell that the filters leave, in the order in which they run: blocked by task, so that a slow
 * patch of the machine falls on all conditions of a task; inside a task by repeat, then by agent; the
 * conditions rotate with the task's place in the *filtered* list and with the repeat, so that none
 * always runs first. `order: random` shuffles each task block instead.
 */
export function planCells(experiment: PlannedExperiment, filters: GridFilters): PlanCellsResult {
  const tasks = experiment.tasks.filter(
    (task) =>
      (filters.app === null || task.app === filters.app) &&
      (filters.task === null || task.id === filters.task),
  );
  if (tasks.length === 0) return { ok: false, problem: { kind: 'no-tasks-match', filters } };

  const declared = experiment.agents.map((agent) => agent.name);
  const unknown = filters.agents.filter((name) => !declared.includes(name));
  if (unknown.length > 0) {
    const problem = { kind: 'unknown-agents', unknown: [...new Set(unknown)], declared } as const;
    return { ok: false, problem };
  }

  const agents = filters.agents.length > 0 ? filters.agents : declared;
  return {
    ok: true,
    cells: tasks.flatMap((task, index) => taskBlock(experiment, task.id, index, agents)),
  };
}

function taskBlock(
  { order, repeats, conditions }: PlannedExperiment,
  task: string,
  taskIndex: number,
  agents: readonly string[],
): readonly Cell[] {
  const block: Cell[] = [];
  // A shuffle starts from the declared order: it must not depend on the other tasks.
  const turn = order.kind === 'rotate' ? taskIndex : 0;
  for (let repeat = 1; repeat <= repeats; repeat++) {
    const ordered = rotate(conditions, turn + repeat - 1);
    for (const agent of agents) {
      for (const condition of ordered) block.push({ task, agent, condition, repeat });
    }
  }
  return order.kind === 'random' ? shuffleBlock(block, order.seed) : block;
}

function rotate<T>(items: readonly T[], by: number): readonly T[] {
  if (items.length === 0) return items;
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
