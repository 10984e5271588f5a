/** What an experiment of this size can show, and cost, before anything has run. */

import { costBoundUsd } from '../budget.js';
import type { Experiment } from '../experiment/experiment.js';
import {
  ASSUMED_LN_SD,
  DEFAULT_ALPHA,
  detectableEffectPercent,
  PLANNED_POWER,
} from '../statistics/detectable-effect.js';
import { smallestRankSumP, smallestSignTestP } from '../statistics/smallest-p.js';
import type { PlannedCell } from './cell.js';

export interface DetectableEffect {
  /** Increase of the typical value of a metric such as tokens or seconds. */
  readonly percent: number;
  readonly power: number;
  readonly alpha: number;
  readonly perArm: number;
  /** Assumed, not measured: standard deviation of ln(value) inside a cell. */
  readonly assumedLnSd: number;
}

export interface PlanFigures {
  readonly alpha: number;
  /** Smallest p of one comparison (one agent, one task, two conditions); null with one condition. */
  readonly smallestP: number | null;
  /** Smallest p of the sign test over the plan's tasks; null with one condition. */
  readonly smallestSignTestP: number | null;
  /** Null when no effect can be found with this power. */
  readonly detectableEffect: DetectableEffect | null;
  /** What the cells still to run cost at most; null when unknown. */
  readonly costBoundUsd: number | null;
}

export function planFigures(
  experiment: Experiment,
  plan: readonly PlannedCell[],
  toRun: readonly PlannedCell[],
): PlanFigures {
  const alpha = experiment.alpha ?? DEFAULT_ALPHA;
  const perArm = experiment.repeats;
  const tasks = new Set(plan.map((cell) => cell.task)).size;
  const isComparison = new Set(experiment.conditions).size > 1;
  const percent = isComparison ? detectableEffectPercent(perArm, alpha) : null;
  return {
    alpha,
    smallestP: isComparison ? smallestRankSumP(perArm, perArm) : null,
    smallestSignTestP: isComparison ? smallestSignTestP(tasks) : null,
    detectableEffect:
      percent === null
        ? null
        : {
            percent: Math.round(percent),
            power: PLANNED_POWER,
            alpha,
            perArm,
            assumedLnSd: ASSUMED_LN_SD,
          },
    costBoundUsd: costBoundUsd(experiment, toRun),
  };
}
