/** One cell of the grid: a place where one result is wanted. */
export interface Cell {
  readonly task: string;
  readonly agent: string;
  readonly condition: string;
  /** Counts from 1 to the experiment's `repeats`. */
  readonly repeat: number;
}

/** A cell at its place in the plan. `index` counts from 1 over the whole (filtered) plan. */
export interface PlannedCell extends Cell {
  readonly index: number;
  readonly done: boolean;
}

export interface GridFilters {
  readonly app: string | null;
  /** Empty: every declared agent. Otherwise this order, not the file's. */
  readonly agents: readonly string[];
  readonly task: string | null;
}

export const NO_FILTERS: GridFilters = { app: null, agents: [], task: null };

/** `task / agent / condition`, with `#repeat` where an experiment repeats its cells. */
export function cellLabel(cell: Cell, repeats = 1): string {
  const label = `${cell.task} / ${cell.agent} / ${cell.condition}`;
  return repeats > 1 ? `${label} #${cell.repeat}` : label;
}
