/** Every pair of arms by every metric: inside a task, then over the tasks of an agent. Nothing is pooled. */

import { blockedRankSumTest } from '../../domain/statistics/blocked-rank-sum.js';
import { holmAdjusted } from '../../domain/statistics/holm.js';
import { signTest } from '../../domain/statistics/sign-test.js';
import { sampleComparer } from './compare-samples.js';
import type {
  BlockedRow,
  ComparedPair,
  Comparison,
  Comparisons,
  SampleComparison,
  SignTestRow,
  Verdict,
} from './comparison-types.js';

/** The arms of one agent and task (or of one block of a table). */
export interface ArmsOfTask {
  readonly agent: string | null;
  readonly task: string | null;
  /** Values that count, none for an arm without any. */
  values(condition: string, metric: string): readonly number[];
}

export interface ComparisonScope {
  /** The earlier one of a pair is the baseline. */
  readonly conditions: readonly string[];
  readonly metrics: readonly string[];
  /** Metrics whose comparisons are the family of the Holm adjustment; none declared: all of them. */
  readonly primary: readonly string[];
  readonly alpha: number;
}

/** @param arms by agent, then by task; the rows keep this order */
export function compareArms(arms: readonly ArmsOfTask[], scope: ComparisonScope): Comparisons {
  const compare = sampleComparer();
  const pairs = pairsOf(scope.conditions);
  const raw = arms.flatMap((of) =>
    scope.metrics.flatMap((metric) =>
      pairs.map(([a, b]): RawComparison => {
        const pair = { agent: of.agent, task: of.task, metric, a, b };
        return { ...pair, ...compare(of.values(a, metric), of.values(b, metric)) };
      }),
    ),
  );
  const comparisons = judged(raw, scope);
  const agents = [...new Set(arms.map(({ agent }) => agent))];
  const overTasks = agents.flatMap((agent) =>
    scope.metrics.flatMap((metric) => pairs.map(([a, b]) => ({ agent, metric, a, b }))),
  );
  return {
    comparisons,
    signTests: signTestRows(overTasks, comparisons),
    blocked: blockedRows(overTasks, arms),
  };
}

type RawComparison = ComparedPair & Pick<Comparison, 'task'> & SampleComparison;

function pairsOf(conditions: readonly string[]): readonly (readonly [a: string, b: string])[] {
  return conditions.flatMap((a, index) => conditions.slice(index + 1).map((b) => [a, b] as const));
}

function judged(raw: readonly RawComparison[], scope: ComparisonScope): readonly Comparison[] {
  const { primary, alpha } = scope;
  const isInFamily = ({ metric, p }: RawComparison): boolean =>
    p !== null && (primary.length === 0 || primary.includes(metric));
  const family = raw.filter(isInFamily);
  const adjusted = holmAdjusted(family.map(({ p }) => p ?? 1));
  const holm = new Map(family.map((comparison, index) => [comparison, adjusted[index] ?? 1]));
  return raw.map((comparison) => {
    const holmP = holm.get(comparison) ?? null;
    return { ...comparison, holmP, verdict: verdictOf(comparison, holmP ?? comparison.p, alpha) };
  });
}

function verdictOf({ cliffsDelta }: SampleComparison, p: number | null, alpha: number): Verdict {
  if (p === null || cliffsDelta === null) return 'no-data';
  if (p > alpha || cliffsDelta === 0) return 'inconclusive';
  return cliffsDelta > 0 ? 'higher' : 'lower';
}

function signTestRows(
  pairs: readonly ComparedPair[],
  comparisons: readonly Comparison[],
): readonly SignTestRow[] {
  const differences = new Map<string, number[]>(pairs.map((pair) => [pairKey(pair), []]));
  for (const comparison of comparisons) {
    const { medianA, medianB } = comparison;
    if (medianA === null || medianB === null) continue;
    differences.get(pairKey(comparison))?.push(medianB - medianA);
  }
  return pairs.map((pair) => ({ ...pair, ...signTest(differences.get(pairKey(pair)) ?? []) }));
}

function blockedRows(
  pairs: readonly ComparedPair[],
  arms: readonly ArmsOfTask[],
): readonly BlockedRow[] {
  return pairs.flatMap((pair) => {
    const { agent, metric, a, b } = pair;
    const ofAgent = arms.filter((of) => of.agent === agent);
    const test = blockedRankSumTest(
      ofAgent.map((of) => ({ a: of.values(a, metric), b: of.values(b, metric) })),
    );
    if (test === null) return [];
    const { blocks, ...result } = test;
    return [{ ...pair, tasks: blocks, ...result }];
  });
}

function pairKey({ agent, metric, a, b }: ComparedPair): string {
  return JSON.stringify([agent, metric, a, b]);
}
