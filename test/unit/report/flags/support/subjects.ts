/** Subjects for the flag rules: sound unless a test says otherwise. */

import type { Comparison } from '../../../../../src/report/compare/comparison-types.js';
import type {
  FlaggedArm,
  FlaggedBlock,
  FlaggedTrial,
  FlagSubject,
} from '../../../../../src/report/flags/flag-types.js';
import { trialFacts } from '../../../../../src/report/flags/trial-facts.js';

/** A minute of 2030. */
export function at(minute: number): number {
  return Date.UTC(2030, 0, 1) + minute * 60_000;
}

export function trial(facts: Partial<FlaggedTrial> = {}): FlaggedTrial {
  const sound = { folder: 'alpha/claude/base/1', passed: true, values: {} };
  return { ...trialFacts(null, {}), ...sound, ...facts };
}

export function arm(
  condition: string,
  trials: readonly FlaggedTrial[],
  counts: Partial<FlaggedArm> = {},
): FlaggedArm {
  const n = trials.length;
  return { condition, n, passed: n, void: 0, trials, ...counts };
}

export function block(...arms: readonly FlaggedArm[]): FlaggedBlock {
  return { agent: 'claude', task: 'alpha', arms, comparisons: [] };
}

export function subject(...blocks: readonly FlaggedBlock[]): FlagSubject {
  return { blocks, alpha: 0.05 };
}

export function comparison(values: Pick<Comparison, 'p' | 'holmP'>): Comparison {
  return {
    agent: 'claude',
    task: 'alpha',
    metric: 'search_calls',
    a: 'base',
    b: 'treat',
    nA: 5,
    nB: 5,
    medianA: 1,
    medianB: 2,
    percentChange: 100,
    u: 3,
    pFraction: null,
    pMethod: 'exact',
    minP: 0.008,
    hodgesLehmann: 1,
    ci: null,
    shiftPercent: null,
    ciPercent: null,
    cliffsDelta: 0.7,
    verdict: 'inconclusive',
    ...values,
  };
}
