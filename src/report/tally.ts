/** Adds attempts up as they come; keeps counts, facts and the numbers that are compared, nothing else. */

import { DEFAULT_ALPHA } from '../domain/statistics/detectable-effect.js';
import { armMedians, armRate, rateComparisons } from './arm-figures.js';
import { compareArms } from './compare/compare-arms.js';
import type { Comparison } from './compare/comparison-types.js';
import { driftMetrics } from './flags/drift.js';
import { findFlags } from './flags/find-flags.js';
import type { FlaggedBlock, FlaggedTrial } from './flags/flag-types.js';
import { compareText } from './compare-text.js';
import { comparedMetrics } from './metrics.js';
import type { JudgedAttempt } from './read-attempt.js';
import type { Arm, Exclusion, ReportModel } from './report-types.js';

const EXAMPLES_KEPT = 3;

/** What the experiment declares about its own analysis. */
export interface TallySettings {
  readonly alpha?: number | null;
  readonly primary?: readonly string[];
}

export interface ArmTally {
  readonly arm: Arm;
  n: number;
  passed: number;
  void: number;
  ungraded: number;
  /** US dollars of all trials, passed or not; null while none says what it cost. */
  costUsd: number | null;
  /** Values of passed trials by metric. */
  readonly values: Map<string, number[]>;
  readonly trials: FlaggedTrial[];
}

interface ExclusionTally {
  readonly reason: Exclusion['reason'];
  readonly detail: string | null;
  count: number;
  /** The first few by name. */
  readonly examples: string[];
}

export type TalliedReport = Omit<ReportModel, 'experiment' | 'planned' | 'missing'>;

type JudgedTrial = Extract<JudgedAttempt, { readonly kind: 'trial' }>;

export class Tally {
  readonly #arms = new Map<string, ArmTally>();
  readonly #exclusions = new Map<string, ExclusionTally>();
  readonly #alpha: number;
  readonly #primary: readonly string[];
  readonly #driftMetrics: readonly string[];

  constructor({ alpha = null, primary = [] }: TallySettings = {}) {
    this.#alpha = alpha ?? DEFAULT_ALPHA;
    this.#primary = primary;
    this.#driftMetrics = driftMetrics(primary);
  }

  add(attempt: JudgedAttempt, folder: string): void {
    if (attempt.kind === 'trial') {
      this.#addTrial(attempt, folder);
      return;
    }
    const { reason, detail } = attempt;
    const key = JSON.stringify([reason, detail]);
    const exclusion = this.#exclusions.get(key) ?? { reason, detail, count: 0, examples: [] };
    this.#exclusions.set(key, exclusion);
    exclusion.count++;
    exclusion.examples.push(folder);
    exclusion.examples.sort(compareText).splice(EXAMPLES_KEPT);
    if (attempt.arm === null || (reason !== 'void' && reason !== 'ungraded')) return;
    this.#armTally(attempt.arm)[reason]++;
  }

  #addTrial({ arm, passed, metrics, facts }: JudgedTrial, folder: string): void {
    const tally = this.#armTally(arm);
    tally.n++;
    const values: Record<string, number> = {};
    for (const [metric, value] of metrics) {
      if (metric === 'total_cost_usd') tally.costUsd = (tally.costUsd ?? 0) + value;
      if (!passed) continue;
      append(tally.values, metric, value);
      if (this.#driftMetrics.includes(metric)) values[metric] = value;
    }
    if (passed) tally.passed++;
    tally.trials.push({ ...facts, folder, passed, values });
  }

  get trials(): number {
    return sum([...this.#arms.values()].map((arm) => arm.n));
  }

  get isEmpty(): boolean {
    return this.#arms.size === 0 && this.#exclusions.size === 0;
  }

  /** @param declared order of the conditions; the rest follow by name, as agents and tasks do */
  report(declared: readonly string[]): TalliedReport {
    const byCondition = byPlace(declared);
    const arms = [...this.#arms.values()].sort(
      ({ arm: a }, { arm: b }) =>
        compareText(a.agent, b.agent) ||
        compareText(a.task, b.task) ||
        byCondition(a.condition, b.condition),
    );
    const conditions = [...new Set(arms.map(({ arm }) => arm.condition))].sort(byCondition);
    const blocks = blocksOf(arms);
    const compared = compareArms(
      blocks.map(({ agent, task, arms: own }) => ({
        agent,
        task,
        values: (condition, metric) =>
          own.find(({ arm }) => arm.condition === condition)?.values.get(metric) ?? [],
      })),
      {
        conditions,
        metrics: comparedMetrics(this.#primary),
        primary: this.#primary,
        alpha: this.#alpha,
      },
    );
    const rates = arms.map(armRate);
    return {
      trials: this.trials,
      counted: sum(arms.map((arm) => arm.passed)),
      void: this.#excludedAs('void'),
      ungraded: this.#excludedAs('ungraded'),
      conditions,
      rates,
      rateComparisons: rateComparisons(rates),
      medians: arms.flatMap(armMedians),
      excluded: [...this.#exclusions.values()].sort(compareExclusions),
      alpha: this.#alpha,
      ...compared,
      flags: findFlags({
        alpha: this.#alpha,
        blocks: flaggedBlocks(blocks, compared.comparisons),
      }),
    };
  }

  #excludedAs(reason: Exclusion['reason']): number {
    const matching = [...this.#exclusions.values()].filter((entry) => entry.reason === reason);
    return sum(matching.map((entry) => entry.count));
  }

  #armTally(arm: Arm): ArmTally {
    const key = JSON.stringify([arm.agent, arm.task, arm.condition]);
    const known = this.#arms.get(key);
    if (known !== undefined) return known;
    const fresh: ArmTally = {
      arm,
      n: 0,
      passed: 0,
      void: 0,
      ungraded: 0,
      costUsd: null,
      values: new Map(),
      trials: [],
    };
    this.#arms.set(key, fresh);
    return fresh;
  }
}

interface Block extends Pick<Arm, 'agent' | 'task'> {
  readonly arms: readonly ArmTally[];
}

/** @param arms by agent and task */
function blocksOf(arms: readonly ArmTally[]): readonly Block[] {
  const blocks = new Map<string, Block & { readonly arms: ArmTally[] }>();
  for (const tally of arms) {
    const { agent, task } = tally.arm;
    const key = blockKey(tally.arm);
    const block = blocks.get(key) ?? { agent, task, arms: [] };
    blocks.set(key, block);
    block.arms.push(tally);
  }
  return [...blocks.values()];
}

function flaggedBlocks(
  blocks: readonly Block[],
  comparisons: readonly Comparison[],
): readonly FlaggedBlock[] {
  const byBlock = new Map<string, Comparison[]>(blocks.map((block) => [blockKey(block), []]));
  for (const comparison of comparisons) byBlock.get(blockKey(comparison))?.push(comparison);
  return blocks.map((block) => ({
    ...block,
    arms: block.arms.map(({ arm, n, passed, void: voids, trials }) => ({
      condition: arm.condition,
      n,
      passed,
      void: voids,
      trials: [...trials].sort(
        (a, b) => (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) || compareText(a.folder, b.folder),
      ),
    })),
    comparisons: byBlock.get(blockKey(block)) ?? [],
  }));
}

function blockKey({ agent, task }: Pick<Comparison, 'agent' | 'task'>): string {
  return JSON.stringify([agent, task]);
}

function compareExclusions(a: Exclusion, b: Exclusion): number {
  return compareText(a.reason, b.reason) || compareText(a.detail ?? '', b.detail ?? '');
}

function byPlace(declared: readonly string[]): (a: string, b: string) => number {
  const place = (condition: string): number => {
    const index = declared.indexOf(condition);
    return index < 0 ? declared.length : index;
  };
  return (a, b) => place(a) - place(b) || compareText(a, b);
}

function append(values: Map<string, number[]>, metric: string, value: number): void {
  const known = values.get(metric);
  if (known === undefined) values.set(metric, [value]);
  else known.push(value);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
