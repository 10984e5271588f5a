import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { binomial } from '../../../../src/domain/statistics/exact-products.js';
import {
  cliffsDelta,
  hodgesLehmann,
  intervalRank,
  pairDifferences,
  shiftInterval,
} from '../../../../src/domain/statistics/hodges-lehmann.js';
import { doubledMidRanks } from '../../../../src/domain/statistics/mid-ranks.js';
import { normalIntervalRank } from '../../../../src/domain/statistics/rank-sum-normal.js';
import { rankSumTails } from '../../../../src/domain/statistics/rank-sum-tails.js';
import { rankSumTest } from '../../../../src/domain/statistics/rank-sum.js';
import { smallestRankSumP } from '../../../../src/domain/statistics/smallest-p.js';
import { bigintTwoSidedCount, bruteForceP } from './support/slow-rank-sum.js';

/** Few levels: ties inside and across the arms. */
const level = fc.integer({ min: 0, max: 5 });
const arm = fc.array(level, { minLength: 1, maxLength: 5 });
const anyArm = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 25 });

describe('rank-sum test', () => {
  it('counts what brute force over all assignments counts', () => {
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        const slow = bruteForceP(a, b);
        expect(rankSumTest(a, b)).toEqual({
          u: slow.u,
          p: slow.extreme / slow.all,
          pFraction: `${slow.extreme}/${slow.all}`,
          pMethod: 'exact',
          minP: expect.closeTo(slow.smallest / slow.all, 14),
        });
      }),
      { numRuns: 100 },
    );
  });

  it('says the same of both arms when the labels are swapped', () => {
    fc.assert(
      fc.property(anyArm, anyArm, (a, b) => {
        const [there, back] = [rankSumTest(a, b), rankSumTest(b, a)];
        expect(back?.p).toBe(there?.p);
        expect(back?.minP).toBe(there?.minP);
        expect((there?.u ?? NaN) + (back?.u ?? NaN)).toBe(a.length * b.length);
        const delta = cliffsDelta(there?.u ?? NaN, a.length, b.length);
        expect(cliffsDelta(back?.u ?? NaN, b.length, a.length)).toBeCloseTo(-(delta ?? NaN), 12);
      }),
    );
  });

  it('depends on the order of the values alone', () => {
    fc.assert(
      fc.property(anyArm, anyArm, (a, b) => {
        const bend = (value: number): number => Math.exp(value / 300) - 7;
        expect(rankSumTest(a.map(bend), b.map(bend))).toEqual(rankSumTest(a, b));
        const flip = (value: number): number => -value;
        expect(rankSumTest(a.map(flip), b.map(flip))?.p).toBe(rankSumTest(a, b)?.p);
      }),
    );
  });

  it('lies between the smallest p and 1; ties make the smallest p larger for arms of one size', () => {
    fc.assert(
      fc.property(anyArm, anyArm, (a, b) => {
        const { p, minP } = rankSumTest(a, b) ?? { p: NaN, minP: NaN };
        expect(p).toBeLessThanOrEqual(1);
        expect(p).toBeGreaterThanOrEqual(minP);
        const untied = smallestRankSumP(a.length, b.length) ?? NaN;
        // With arms of two sizes, a tie may leave a single assignment farthest away, on one side.
        const least = a.length === b.length ? untied : untied / 2;
        expect(minP).toBeGreaterThanOrEqual(least - 1e-15);
      }),
    );
  });

  it('falls as two arms of different values move apart', () => {
    const a = [1, 4, 9, 16, 25, 36];
    const p = [0, 5.5, 11.5, 20.5, 40.5].map((shift) => {
      return (
        rankSumTest(
          a,
          a.map((value) => value + 0.25 + shift),
        )?.p ?? NaN
      );
    });
    expect(p).toEqual([...p].sort((x, y) => y - x));
    expect(new Set(p).size).toBe(p.length);
    expect(p.at(-1)).toBeCloseTo(2 / 924, 14);
  });

  it('is null without values in an arm', () => {
    expect(rankSumTest([], [1])).toBeNull();
    expect(rankSumTest([1], [])).toBeNull();
  });

  it.each([
    { nA: 20, nB: 20, levels: 5 },
    { nA: 50, nB: 50, levels: 9 },
    { nA: 37, nB: 20, levels: 60 },
    { nA: 25, nB: 25, levels: 1e6 },
    { nA: 3, nB: 50, levels: 20 },
  ])(
    'in floating point and in halves is the BigInt count, $nA against $nB on $levels levels',
    ({ nA, nB, levels }) => {
      const { a, b, ascending, distance } = study(nA, nB, levels);
      const size = Math.min(nA, nB);
      const count = bigintTwoSidedCount(ascending, size, distance);
      const all = binomial(nA + nB, size);
      expect(rankSumTest(a, b)?.pFraction).toBe(`${count}/${all}`);
      const mean = size * (nA + nB + 1);
      const share = rankSumTails(ascending, size).share(mean - distance, mean + distance);
      const relative = share / (Number(count) / Number(all)) - 1;
      expect(Math.abs(relative)).toBeLessThan(1e-12);
    },
  );

  it('above 50 against 50 has p to 1e-12 and no fraction', () => {
    const { a, b, ascending, distance } = study(70, 25, 12);
    const count = bigintTwoSidedCount(ascending, 25, distance);
    const test = rankSumTest(a, b);
    expect(test?.pFraction).toBeNull();
    expect(test?.p).toBeCloseTo(Number(count) / Number(binomial(95, 25)), 13);
  });

  it('needs no cut-off: 100 against 100, and 1 against 2,000', () => {
    const high = Array.from({ length: 100 }, (_, index) => 500 + index);
    const low = Array.from({ length: 100 }, (_, index) => index);
    const separated = 2 / Number(binomial(200, 100));
    expect((rankSumTest(low, high)?.p ?? NaN) / separated).toBeCloseTo(1, 12);
    const many = Array.from({ length: 2_000 }, (_, index) => index);
    expect(rankSumTest([-1], many)?.p).toBeCloseTo(2 / 2_001, 14);
  });
});

describe('rank-sum test that may not count', () => {
  it('says that p is approximated, which is near', () => {
    const { a, b } = study(60, 45, 30);
    const [exact, normal] = [rankSumTest(a, b), rankSumTest(a, b, { mostAdditions: 1_000 })];
    expect([exact?.pMethod, normal?.pMethod]).toEqual(['exact', 'normal']);
    expect(normal).toEqual({ ...exact, pMethod: 'normal', p: expect.closeTo(exact?.p ?? NaN, 2) });
  });

  it('bounds the shift by nearly the same differences', () => {
    const [exact, normal] = [intervalRank(80, 70), normalIntervalRank(80, 70)];
    expect(Math.abs((exact?.k ?? NaN) - normal.k)).toBeLessThanOrEqual(2);
  });
});

describe('shift', () => {
  it('moves with the values, and its interval holds it', () => {
    fc.assert(
      fc.property(anyArm, anyArm, fc.integer({ min: -50, max: 50 }), (a, b, by) => {
        const differences = pairDifferences(a, b);
        const moved = pairDifferences(
          a,
          b.map((value) => value + by),
        );
        const shift = hodgesLehmann(differences) ?? NaN;
        expect(hodgesLehmann(moved)).toBe(shift + by);
        const interval = shiftInterval(differences, intervalRank(a.length, b.length));
        if (interval === null) return;
        expect(interval.lo).toBeLessThanOrEqual(shift);
        expect(interval.hi).toBeGreaterThanOrEqual(shift);
        expect(interval.confidence).toBeGreaterThanOrEqual(0.95);
      }),
    );
  });

  it('excludes 0 exactly when the test without ties finds a difference', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -90, max: 90 }), { minLength: 8, maxLength: 24 }),
        (values) => {
          const a = values.slice(0, values.length / 2);
          const b = values.slice(values.length / 2);
          const interval = shiftInterval(pairDifferences(a, b), intervalRank(a.length, b.length));
          const excludes = interval !== null && (interval.lo > 0 || interval.hi < 0);
          expect(excludes).toBe((rankSumTest(a, b)?.p ?? 1) <= 0.05);
        },
      ),
    );
  });

  it.each([
    [3, 3, null],
    [2, 8, { k: 1, confidence: 1 - 2 / 45 }],
    [4, 4, { k: 1, confidence: 1 - 2 / 70 }],
    [5, 5, { k: 3, confidence: 1 - 8 / 252 }],
  ])('with %d against %d values has the interval rank %j', (nA, nB, rank) => {
    const found = intervalRank(nA, nB);
    if (rank === null) expect(found).toBeNull();
    else expect(found).toEqual({ k: rank.k, confidence: expect.closeTo(rank.confidence, 12) });
  });
});

/** Values on a number of levels, the second arm somewhat higher; the same in every run. */
function study(nA: number, nB: number, levels: number) {
  let state = 20_260_101;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const a = Array.from({ length: nA }, () => Math.floor(random() * levels));
  const b = Array.from({ length: nB }, () => Math.floor((random() + 0.12) * levels));
  const { ofValues, ascending } = doubledMidRanks([...a, ...b]);
  const rankSum = ofValues.slice(0, nA).reduce((sum, rank) => sum + rank, 0);
  return { a, b, ascending, distance: Math.abs(rankSum - nA * (nA + nB + 1)) };
}
