/** Inputs with values computed by SciPy 1.17.1 and by full enumeration: test/fixtures/statistics/stat-cases.json. */

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { blockedRankSumTest } from '../../../../src/domain/statistics/blocked-rank-sum.js';
import { fixedHalfEven, signedPercent } from '../../../../src/domain/statistics/fixed-half-even.js';
import {
  cliffsDelta,
  hodgesLehmann,
  intervalRank,
  pairDifferences,
  shiftInterval,
} from '../../../../src/domain/statistics/hodges-lehmann.js';
import { holmAdjusted } from '../../../../src/domain/statistics/holm.js';
import { median, percentChange } from '../../../../src/domain/statistics/median.js';
import { rankSumTest } from '../../../../src/domain/statistics/rank-sum.js';
import { signTest } from '../../../../src/domain/statistics/sign-test.js';

interface RankSumCase {
  readonly name: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly U: number;
  readonly U_b: number;
  readonly p_two_sided: number;
  readonly p_fraction: string;
  readonly min_attainable_p: number;
  readonly hodges_lehmann: number;
  readonly hl_ci95: { lo: number; hi: number; confidence: number; k: number } | null;
  readonly cliffs_delta: number;
  readonly median_a: number;
  readonly median_b: number;
  readonly pct_change: number | null;
}

interface StatCases {
  readonly mann_whitney: readonly RankSumCase[];
  readonly sign_test: readonly {
    readonly name: string;
    readonly differences: readonly number[];
    readonly wins: number;
    readonly losses: number;
    readonly ties: number;
    readonly n_used: number;
    readonly p_two_sided: number | null;
    readonly p_fraction: string | null;
    readonly min_attainable_p: number | null;
  }[];
  readonly blocked: readonly {
    readonly name: string;
    readonly tasks: readonly { a: readonly number[]; b: readonly number[] }[];
    readonly sum_centred_U_b: number;
    readonly p_two_sided: number;
    readonly p_fraction: string;
    readonly min_attainable_p: number;
  }[];
  readonly holm: { readonly p: readonly number[]; readonly adjusted: readonly number[] };
  readonly formatting: readonly { value: number; c: string }[];
}

const CASES = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/stat-cases.json', import.meta.url), 'utf8'),
) as StatCases;

describe.each(CASES.mann_whitney)('rank-sum case $name', (known) => {
  const { a, b } = known;
  const test = rankSumTest(a, b);

  it('has the known U, p, fraction and smallest p', () => {
    expect(test?.u).toBe(known.U);
    expect(rankSumTest(b, a)?.u).toBe(known.U_b);
    expect(test?.p).toBeCloseTo(known.p_two_sided, 14);
    expect(test?.pFraction).toBe(known.p_fraction);
    expect(test?.minP).toBeCloseTo(known.min_attainable_p, 14);
  });

  it('has the known shift, interval, delta, medians and percent change', () => {
    const differences = pairDifferences(a, b);
    expect(hodgesLehmann(differences)).toBe(known.hodges_lehmann);
    const interval = shiftInterval(differences, intervalRank(a.length, b.length));
    if (known.hl_ci95 === null) expect(interval).toBeNull();
    else {
      const { confidence, ...bounds } = known.hl_ci95;
      expect(interval).toEqual({ ...bounds, confidence: expect.closeTo(confidence, 12) });
    }
    expect(cliffsDelta(known.U, a.length, b.length)).toBeCloseTo(known.cliffs_delta, 14);
    expect([median(a), median(b)]).toEqual([known.median_a, known.median_b]);
    const change = percentChange(median(a), median(b));
    if (known.pct_change === null) expect(change).toBeNull();
    else expect(change).toBeCloseTo(known.pct_change, 12);
  });
});

it.each(CASES.sign_test)('sign test case $name', ({ differences, ...known }) => {
  expect(signTest(differences)).toEqual({
    wins: known.wins,
    losses: known.losses,
    ties: known.ties,
    n: known.n_used,
    p: known.p_two_sided,
    pFraction: known.p_fraction,
    minP: known.min_attainable_p,
  });
});

it.each(CASES.blocked)('blocked case $name', ({ tasks, ...known }) => {
  expect(blockedRankSumTest(tasks)).toEqual({
    blocks: tasks.length,
    sumCentredU: known.sum_centred_U_b,
    p: expect.closeTo(known.p_two_sided, 14),
    pFraction: known.p_fraction,
    minP: expect.closeTo(known.min_attainable_p, 14),
    pMethod: 'exact',
  });
});

it('Holm adjusts as R does', () => {
  const adjusted = holmAdjusted(CASES.holm.p);
  expect(adjusted).toEqual(CASES.holm.adjusted.map((p) => expect.closeTo(p, 14)));
});

it.each(CASES.formatting)('$value is printed as $c', ({ value, c }) => {
  expect(c.endsWith('%') ? signedPercent(value) : fixedHalfEven(value, 3)).toBe(c);
});
