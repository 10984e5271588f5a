import {
  cliffsDelta,
  hodgesLehmann,
  intervalRank,
  pairDifferences,
  shiftInterval,
  type IntervalRank,
  type ShiftInterval,
} from '../../domain/statistics/hodges-lehmann.js';
import { median, percentChange } from '../../domain/statistics/median.js';
import { normalIntervalRank } from '../../domain/statistics/rank-sum-normal.js';
import { rankSumTails } from '../../domain/statistics/rank-sum-tails.js';
import { rankSumAdditions, rankSumTest } from '../../domain/statistics/rank-sum.js';
import type { SampleComparison } from './comparison-types.js';

/** About two seconds of counting and 300 MB, at 280 values against 280. */
const MOST_ADDITIONS = 1e9;

/** Differences that are kept for the shift: 200 MB. */
const MOST_DIFFERENCES = 25e6;

export type SampleComparer = (a: readonly number[], b: readonly number[]) => SampleComparison;

/** A comparer remembers what depends on the sizes of the arms alone: most arms of a report have the same. */
export function sampleComparer(): SampleComparer {
  const rankOf = rememberedBySizes((nA, nB) =>
    rankSumAdditions(nA, nB) <= MOST_ADDITIONS ? intervalRank(nA, nB) : normalIntervalRank(nA, nB),
  );
  const untiedTails = rememberedBySizes((total, size) =>
    rankSumTails(
      Array.from({ length: total }, (_, index) => 2 * (index + 1)),
      size,
    ),
  );
  const tailsOf: typeof rankSumTails = (ascending, size) => {
    const isUntied = ascending.every((rank, index) => rank === 2 * (index + 1));
    return isUntied ? untiedTails(ascending.length, size) : rankSumTails(ascending, size);
  };
  return (a, b) => compareSamples(a, b, { rankOf, tailsOf });
}

function rememberedBySizes<Result>(
  compute: (first: number, second: number) => Result,
): (first: number, second: number) => Result {
  const results = new Map<string, Result>();
  return (first, second) => {
    const key = `${first} ${second}`;
    const known = results.get(key);
    if (known !== undefined || results.has(key)) return known as Result;
    const result = compute(first, second);
    results.set(key, result);
    return result;
  };
}

interface Remembered {
  readonly rankOf: (nA: number, nB: number) => IntervalRank | null;
  readonly tailsOf: typeof rankSumTails;
}

function compareSamples(
  a: readonly number[],
  b: readonly number[],
  { rankOf, tailsOf }: Remembered,
): SampleComparison {
  const [nA, nB] = [a.length, b.length];
  const [medianA, medianB] = [median(a), median(b)];
  const test = rankSumTest(a, b, { mostAdditions: MOST_ADDITIONS, tailsOf });
  const rank = rankOf(nA, nB);
  const shift = shiftOf(a, b, rank);
  const isPositive = [...a, ...b].every((value) => value > 0);
  const logShift = isPositive ? shiftOf(a.map(Math.log), b.map(Math.log), rank) : NO_SHIFT;
  return {
    nA,
    nB,
    medianA,
    medianB,
    percentChange: percentChange(medianA, medianB),
    u: test?.u ?? null,
    p: test?.p ?? null,
    pFraction: test?.pFraction ?? null,
    pMethod: test?.pMethod ?? null,
    minP: test?.minP ?? null,
    hodgesLehmann: shift.point,
    ci: shift.interval,
    shiftPercent: logShift.point === null ? null : percentOfLog(logShift.point),
    ciPercent: logShift.interval === null ? null : inPercent(logShift.interval),
    cliffsDelta: test === null ? null : cliffsDelta(test.u, nA, nB),
  };
}

interface Shift {
  readonly point: number | null;
  readonly interval: ShiftInterval | null;
}

const NO_SHIFT: Shift = { point: null, interval: null };

function shiftOf(a: readonly number[], b: readonly number[], rank: IntervalRank | null): Shift {
  if (a.length * b.length > MOST_DIFFERENCES) return NO_SHIFT;
  const differences = pairDifferences(a, b);
  return { point: hodgesLehmann(differences), interval: shiftInterval(differences, rank) };
}

function inPercent(interval: ShiftInterval): ShiftInterval {
  return { ...interval, lo: percentOfLog(interval.lo), hi: percentOfLog(interval.hi) };
}

function percentOfLog(logShift: number): number {
  return Math.expm1(logShift) * 100;
}
