/** What a report says; `report.json` and `report --json` are this object. Rates are shares from 0 to 1. */

import type { Comparisons } from './compare/comparison-types.js';
import type { Flag } from './flags/flag-types.js';

/** Trials that are compared with each other only across conditions: never pooled over agents or tasks. */
export interface Arm {
  readonly agent: string;
  readonly task: string;
  readonly condition: string;
}

export interface ArmRate extends Arm {
  /** Trials with a result, passed or not. */
  readonly n: number;
  readonly passed: number;
  /** Null without trials. */
  readonly rate: number | null;
  /** 95 % Wilson interval of the pass rate. */
  readonly wilsonLow: number | null;
  readonly wilsonHigh: number | null;
  /** Attempts that say nothing about the agent; not part of `n`. */
  readonly void: number;
  /** Attempts whose tests could not run afterwards; not part of `n`. */
  readonly ungraded: number;
  /** The rate if all void attempts had failed, and if all had passed; null without any attempt. */
  readonly rateIfVoidsFailed: number | null;
  readonly rateIfVoidsPassed: number | null;
  /** US dollars: what all trials cost, those that failed too, for each that passed. */
  readonly costPerPassUsd: number | null;
}

/** Two arms of one agent and task by their pass rates. */
export interface RateComparison {
  readonly agent: string;
  readonly task: string;
  readonly a: string;
  readonly b: string;
  readonly passedA: number;
  readonly nA: number;
  readonly passedB: number;
  readonly nB: number;
  /** Two-sided, Fisher's exact test; null for an empty arm. */
  readonly p: number | null;
}

export interface ArmMedian extends Arm {
  /** Key of metrics.json; its unit is that of the file. */
  readonly metric: string;
  /** Passed trials that have the metric. */
  readonly n: number;
  readonly median: number;
}

/** Why an attempt on disk is no trial of this report. */
export type ExclusionReason =
  /** Closed as void, or `aborted` in a tree of the Ruby gem. */
  | 'void'
  | 'ungraded'
  /** No meta.json: it runs, or it died. */
  | 'unfinished'
  /** A result in meta.json, but no metrics.json. */
  | 'no-metrics'
  /** A file or folder that can't be read, torn JSON included. */
  | 'unreadable'
  /** Metrics that don't say which task, agent and condition they belong to. */
  | 'unnamed';

export interface Exclusion {
  readonly reason: ExclusionReason;
  /** Void reason, or the file that can't be read. */
  readonly detail: string | null;
  readonly count: number;
  /** The first few folders, relative to the results tree. */
  readonly examples: readonly string[];
}

export interface ReportModel extends Comparisons {
  /** Null for a tree read without its experiment. */
  readonly experiment: string | null;
  /** Attempts with a result: one metrics.json each. */
  readonly trials: number;
  /** Trials that count toward cost and effort: those that passed. */
  readonly counted: number;
  readonly void: number;
  readonly ungraded: number;
  /** Results the experiment asks for, and how many of them are not there; null without an experiment. */
  readonly planned: number | null;
  readonly missing: number | null;
  /** Declared order first, the rest by name. */
  readonly conditions: readonly string[];
  /** By agent, task and condition. */
  readonly rates: readonly ArmRate[];
  readonly medians: readonly ArmMedian[];
  readonly excluded: readonly Exclusion[];
  readonly rateComparisons: readonly RateComparison[];
  /** What p has to be at most; the experiment's, else 0.05. */
  readonly alpha: number;
  readonly flags: readonly Flag[];
}
