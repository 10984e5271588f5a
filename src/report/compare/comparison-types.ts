/** What is said about two arms; the keys are those of `report --json` and `compare --json`. */

import type { ShiftInterval } from '../../domain/statistics/hodges-lehmann.js';

/** Which arms of which block, by which metric. `a` is the baseline. */
export interface ComparedPair {
  /** Null in a table that has no agents. */
  readonly agent: string | null;
  readonly metric: string;
  readonly a: string;
  readonly b: string;
}

/** `inconclusive`: no difference was shown, which doesn't mean that there is none. `no-data`: an arm is empty. */
export type Verdict = 'higher' | 'lower' | 'inconclusive' | 'no-data';

/** Null where a value is not defined: an empty arm, a baseline of 0, an arm too small for an interval. */
export interface SampleComparison {
  readonly nA: number;
  readonly nB: number;
  readonly medianA: number | null;
  readonly medianB: number | null;
  /** Of the medians, in percent of the baseline. */
  readonly percentChange: number | null;
  /** Pairs in which the baseline is higher, ties as half. */
  readonly u: number | null;
  /** Two-sided: the share of assignments whose U is at least as far from its mean. */
  readonly p: number | null;
  /** Not reduced; null above 50 in an arm. */
  readonly pFraction: string | null;
  /** `normal` only where counting would take longer than a reader waits. */
  readonly pMethod: 'exact' | 'normal' | null;
  /** The smallest p that these values could give. */
  readonly minP: number | null;
  /** Median of all differences b − a, in the unit of the metric. */
  readonly hodgesLehmann: number | null;
  /** At least 95 %; null below 4 against 4. */
  readonly ci: ShiftInterval | null;
  /** The shift of the logarithms as a change in percent; null with values of 0 or less. */
  readonly shiftPercent: number | null;
  readonly ciPercent: ShiftInterval | null;
  /** P(b > a) − P(b < a) */
  readonly cliffsDelta: number | null;
}

export interface Comparison extends ComparedPair, SampleComparison {
  /** Null in a table without blocks. */
  readonly task: string | null;
  /** p adjusted over the family; null outside of it. */
  readonly holmP: number | null;
  /** Of b against a, at alpha, by `holmP` where there is one. */
  readonly verdict: Verdict;
}

/** Over the tasks in which both arms have a median. */
export interface SignTestRow extends ComparedPair {
  /** Tasks in which the median of b is higher. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** wins + losses */
  readonly n: number;
  readonly p: number | null;
  readonly pFraction: string | null;
  readonly minP: number | null;
}

/** The rank-sum test over all tasks at once, labels moved inside tasks only. */
export interface BlockedRow extends ComparedPair {
  /** Tasks with both arms. */
  readonly tasks: number;
  /** Above 0 where b tends to be higher. */
  readonly sumCentredU: number;
  readonly p: number;
  readonly pFraction: string | null;
  readonly pMethod: 'exact' | 'normal';
  readonly minP: number | null;
}

export interface Comparisons {
  readonly comparisons: readonly Comparison[];
  readonly signTests: readonly SignTestRow[];
  readonly blocked: readonly BlockedRow[];
}
