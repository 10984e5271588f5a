/** Adds attempts up as they come; keeps counts and the numbers that medians need, nothing else. */

import { median } from '../domain/statistics/median.js';
import { wilsonInterval } from '../domain/statistics/wilson.js';
import { metricRank } from './metrics.js';
import type { JudgedAttempt } from './read-attempt.js';
import type { Arm, ArmMedian, ArmRate, Exclusion, ReportModel } from './report-types.js';

const EXAMPLES_KEPT = 3;

interface ArmTally {
  readonly arm: Arm;
  n: number;
  passed: number;
  void: number;
  ungraded: number;
  /** Values of passed trials by metric. */
  readonly values: Map<string, number[]>;
}

interface ExclusionTally {
  readonly reason: Exclusion['reason'];
  readonly detail: string | null;
  count: number;
  /** The first few by name. */
  readonly examples: string[];
}

export type TalliedReport = Omit<ReportModel, 'experiment' | 'planned' | 'missing'>;

export class Tally {
  readonly #arms = new Map<string, ArmTally>();
  readonly #exclusions = new Map<string, ExclusionTally>();

  add(attempt: JudgedAttempt, folder: string): void {
    if (attempt.kind === 'trial') {
      const arm = this.#armTally(attempt.arm);
      arm.n++;
      if (!attempt.passed) return;
      arm.passed++;
      for (const [metric, value] of attempt.metrics) append(arm.values, metric, value);
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
    return {
      trials: this.trials,
      counted: sum(arms.map((arm) => arm.passed)),
      void: this.#excludedAs('void'),
      ungraded: this.#excludedAs('ungraded'),
      conditions: [...new Set(arms.map(({ arm }) => arm.condition))].sort(byCondition),
      rates: arms.map(rateOf),
      medians: arms.flatMap(mediansOf),
      excluded: [...this.#exclusions.values()].sort(compareExclusions),
      comparisons: [],
      signTests: [],
      blocked: [],
      flags: [],
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
    const fresh = { arm, n: 0, passed: 0, void: 0, ungraded: 0, values: new Map() };
    this.#arms.set(key, fresh);
    return fresh;
  }
}

function rateOf({ arm, n, passed, void: voids, ungraded }: ArmTally): ArmRate {
  const interval = wilsonInterval(passed, n);
  return {
    ...arm,
    n,
    passed,
    rate: n === 0 ? null : passed / n,
    wilsonLow: interval?.low ?? null,
    wilsonHigh: interval?.high ?? null,
    void: voids,
    ungraded,
  };
}

function mediansOf({ arm, values }: ArmTally): readonly ArmMedian[] {
  return [...values]
    .sort(([a], [b]) => metricRank(a) - metricRank(b) || compareText(a, b))
    .flatMap(([metric, numbers]) => {
      const middle = median(numbers);
      return middle === null ? [] : [{ ...arm, metric, n: numbers.length, median: middle }];
    });
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

/** By code units: the same order whatever the locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function append(values: Map<string, number[]>, metric: string, value: number): void {
  const known = values.get(metric);
  if (known === undefined) values.set(metric, [value]);
  else known.push(value);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
