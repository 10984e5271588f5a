/** What a grid may cost before it has run. */

import { isPaidKind, type Experiment } from './experiment/experiment.js';
import type { Cell } from './plan/cell.js';

/**
 * Upper bound of what the given cells spend, in USD, without the re-runs of void attempts: the trials
 * of paid agents times `trial.max_cost_usd`. Null when a paid trial has no limit: unknown is never 0.
 */
export function costBoundUsd(
  experiment: Pick<Experiment, 'agents' | 'trial'>,
  toRun: readonly Cell[],
): number | null {
  const paid = new Set(
    experiment.agents.filter((agent) => isPaidKind(agent.kind)).map((agent) => agent.name),
  );
  const paidTrials = toRun.filter((cell) => paid.has(cell.agent)).length;
  if (paidTrials === 0) return 0;
  const perTrialUsd = experiment.trial.maxCostUsd;
  return perTrialUsd === null ? null : paidTrials * perTrialUsd;
}
