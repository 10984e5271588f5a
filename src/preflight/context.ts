import type { Experiment } from '../domain/experiment/experiment.js';
import type { PlannedCell } from '../domain/plan/cell.js';

/** What the checks look at. Built by `doctor` from the files as they are, by a grid from its frozen plan. */
export interface CheckContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateDir: string;
  /** Null outside an experiment: only the host's own checks are made. */
  readonly subject: CheckSubject | null;
}

export interface CheckSubject {
  readonly experiment: Experiment;
  readonly folder: string;
  /** Cells this grid would run. */
  readonly cells: readonly PlannedCell[];
  /** Checkout by app key; null when LLMX_APP_<KEY> is not set. */
  readonly checkouts: Readonly<Record<string, string | null>>;
  promptFile(task: string, condition: string): string;
  solutionFile(task: string): string | null;
}
