import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blockedRankSumTest } from '../../../../src/domain/statistics/blocked-rank-sum.js';
import { clopperPearsonInterval } from '../../../../src/domain/statistics/clopper-pearson.js';
import { rankSumPower } from '../../../../src/domain/statistics/detectable-effect.js';
import { binomial, ProductSum, ratio } from '../../../../src/domain/statistics/exact-products.js';
import { fisherExactP } from '../../../../src/domain/statistics/fisher-exact.js';
import { fixedHalfEven } from '../../../../src/domain/statistics/fixed-half-even.js';
import { holmAdjusted } from '../../../../src/domain/statistics/holm.js';
import { kendallTest } from '../../../../src/domain/statistics/kendall.js';
import { rankSumTest } from '../../../../src/domain/statistics/rank-sum.js';
import { signTest } from '../../../../src/domain/statistics/sign-test.js';
import { wilsonInterval } from '../../../../src/domain/statistics/wilson.js';

const level = fc.integer({ min: 0, max: 4 });
const arm = fc.array(level, { minLength: 1, maxLength: 4 });

describe('blocked rank-sum test', () => {
  it('of one block is the rank-sum test', () => {
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        const [blocked, plain] = [blockedRankSumTest([{ a, b }]), rankSumTest(a, b)];
        expect(blocked?.p).toBeCloseTo(plain?.p ?? NaN, 13);
        expect(blocked?.minP).toBeCloseTo(plain?.minP ?? NaN, 13);
        expect(blocked?.pFraction).toBe(plain?.pFraction);
      }),
    );
  });

  it('of two blocks counts every pair of assignments', () => {
    fc.assert(
      fc.property(arm, arm, arm, arm, (a, b, c, d) => {
        const distances = centred(a, b).flatMap((x) => centred(c, d).map((y) => Math.abs(x + y)));
        const observed = Math.abs(centredU(a, b) + centredU(c, d));
        const extreme = distances.filter((distance) => distance >= observed - 1e-9).length;
        expect(
          blockedRankSumTest([
            { a, b },
            { a: c, b: d },
          ])?.pFraction,
        ).toBe(`${extreme}/${distances.length}`);
      }),
      { numRuns: 50 },
    );
  });

  it('never compares across blocks, leaves out one without both arms, and knows no order', () => {
    const blocks = [
      { a: [1, 2, 3], b: [2, 4, 6] },
      { a: [10, 11], b: [12, 13, 14] },
    ];
    const test = blockedRankSumTest(blocks);
    const moved = blocks.map(({ a, b }, index) => ({
      a: a.map((value) => value + 1_000 * index),
      b: b.map((value) => value + 1_000 * index),
    }));
    expect(blockedRankSumTest(moved)).toEqual(test);
    expect(blockedRankSumTest([{ a: [], b: [5] }, ...blocks.reverse()])).toEqual(test);
    expect(blockedRankSumTest([{ a: [], b: [5] }])).toBeNull();
  });

  it('is approximated, and says so, where counting would take too long', () => {
    const wave = (length: number, shift: number): number[] =>
      Array.from({ length }, (_, index) => ((index * 37) % 101) + shift);
    const few = Array.from({ length: 4 }, () => ({ a: wave(12, 0), b: wave(12, 9) }));
    const exact = blockedRankSumTest(few);
    expect(exact).toMatchObject({ pMethod: 'exact', pFraction: null });
    const many = Array.from({ length: 60 }, () => ({ a: wave(60, 0), b: wave(60, 1) }));
    const normal = blockedRankSumTest(many);
    expect(normal).toMatchObject({ pMethod: 'normal', pFraction: null, minP: null });
    expect(normal?.p).toBeGreaterThan(0);
    expect(normal?.p).toBeLessThan(1);
  });
});

/** U of b minus its mean, for every assignment of the values to the arms. */
function centred(a: readonly number[], b: readonly number[]): readonly number[] {
  const pool = [...a, ...b];
  return Array.from({ length: 2 ** pool.length }, (_, mask) => {
    const isInA = (_value: number, index: number): boolean => ((mask >> index) & 1) === 1;
    return [pool.filter(isInA), pool.filter((value, index) => !isInA(value, index))] as const;
  })
    .filter(([inA]) => inA.length === a.length)
    .map(([inA, inB]) => centredU(inA, inB));
}

function centredU(a: readonly number[], b: readonly number[]): number {
  const wins = b.flatMap((y) => a.map((x) => Number(y > x) + Number(y === x) / 2));
  return wins.reduce((sum, win) => sum + win, 0) - (a.length * b.length) / 2;
}

describe('sign test', () => {
  it('does not care which arm is called the first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 })), (differences) => {
        const [there, back] = [signTest(differences), signTest(differences.map((d) => -d))];
        expect([back.wins, back.losses, back.p]).toEqual([there.losses, there.wins, there.p]);
        expect(there.p ?? 1).toBeGreaterThanOrEqual(there.minP ?? 0);
        expect(there.p ?? 1).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has a p also for thousands of tasks', () => {
    const p = signTest(Array.from({ length: 3_000 }, (_, index) => (index % 20 < 9 ? -1 : 1))).p;
    // 2 · Σ C(3000, k) for k ≤ 1350, over 2^3000, in rational arithmetic
    expect((p ?? NaN) / 4.672291338350209e-8).toBeCloseTo(1, 12);
    expect(signTest(Array.from({ length: 2_000 }, () => 1)).p).toBe(0);
  });
});

describe('Holm', () => {
  it('never lowers a p, keeps their order and does not depend on the order given', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (p) => {
        const adjusted = holmAdjusted(p);
        for (const [index, value] of adjusted.entries()) {
          expect(value).toBeGreaterThanOrEqual(p[index] ?? NaN);
          expect(value).toBeLessThanOrEqual(1);
        }
        expect(holmAdjusted([...p].reverse())).toEqual([...adjusted].reverse());
      }),
    );
  });
});

describe('pass rates', () => {
  // R: binom.test(passed, n)$conf.int
  it.each([
    { passed: 5, n: 5, low: 0.478176, high: 1 },
    { passed: 0, n: 10, low: 0, high: 0.308497 },
    { passed: 7, n: 10, low: 0.347547, high: 0.93326 },
    { passed: 1, n: 2, low: 0.012579, high: 0.987421 },
  ])('Clopper–Pearson of $passed in $n is $low to $high', ({ passed, n, low, high }) => {
    const interval = clopperPearsonInterval(passed, n);
    expect(interval?.low).toBeCloseTo(low, 5);
    expect(interval?.high).toBeCloseTo(high, 5);
  });

  it('Clopper–Pearson holds the rate and mirrors; it is not there without trials', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), (n, seed) => {
        const passed = seed % (n + 1);
        const interval = clopperPearsonInterval(passed, n) ?? { low: NaN, high: NaN };
        const mirrored = clopperPearsonInterval(n - passed, n) ?? { low: NaN, high: NaN };
        expect(interval.low).toBeCloseTo(1 - mirrored.high, 9);
        expect(interval.low).toBeLessThanOrEqual(passed / n);
        expect(interval.high).toBeGreaterThanOrEqual(passed / n);
        const wilson = wilsonInterval(passed, n) ?? { low: NaN, high: NaN };
        expect(interval.high - interval.low).toBeGreaterThan(wilson.high - wilson.low - 0.02);
      }),
    );
    expect(clopperPearsonInterval(0, 0)).toBeNull();
  });

  // R: fisher.test(matrix(c(passedA, nA - passedA, passedB, nB - passedB), 2))$p.value
  it.each([
    { a: [3, 4], b: [1, 4], p: 0.4857142857142857 }, // the lady tasting tea: 34 of 70
    { a: [5, 5], b: [0, 5], p: 2 / 252 },
    { a: [1, 10], b: [11, 14], p: 0.00275945618522 },
    { a: [5, 5], b: [5, 5], p: 1 },
  ] as const)('Fisher of $a against $b is $p', ({ a, b, p }) => {
    const counts = [a, b].map(([passed, n]) => ({ passed, n }));
    const [first = { passed: 0, n: 0 }, second = first] = counts;
    expect(fisherExactP(first, second)).toBeCloseTo(p, 10);
    expect(fisherExactP(second, first)).toBeCloseTo(p, 10);
  });

  it('Fisher is null for an empty arm', () => {
    expect(fisherExactP({ passed: 0, n: 0 }, { passed: 1, n: 2 })).toBeNull();
  });
});

describe('Kendall', () => {
  it('counts what all orders of the values count', () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 2, maxLength: 6 }), (values) => {
        const test = kendallTest(values.map((value, time) => ({ time, value })));
        if (new Set(values).size === 1) {
          expect(test).toBeNull();
          return;
        }
        const scores = permutations(values).map((order) => Math.abs(score(order)));
        const extreme = scores.filter((s) => s >= Math.abs(score(values))).length;
        expect(test?.p).toBeCloseTo(extreme / scores.length, 12);
        expect(Math.sign(test?.tau ?? NaN)).toBe(Math.sign(score(values)));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [5, 2 / 120],
    [4, 2 / 24],
  ])('of %d rising values is 1 with p %d', (n, p) => {
    const rising = Array.from({ length: n }, (_, time) => ({ time, value: time * time }));
    expect(kendallTest(rising)).toEqual({ n, tau: 1, p: expect.closeTo(p, 12) });
  });

  it('is the normal approximation where times are tied or there are many, near to the exact one', () => {
    const wave = Array.from({ length: 25 }, (_, time) => ({ time, value: (time * 31) % 47 }));
    const exact = kendallTest(wave)?.p ?? NaN;
    const tiedTime = wave.map(({ time, value }) => ({ time: time === 1 ? 0 : time, value }));
    expect(kendallTest(tiedTime)?.p).toBeGreaterThan(exact - 0.05);
    expect(kendallTest(tiedTime)?.p).toBeLessThan(exact + 0.05);
    const long = Array.from({ length: 80 }, (_, time) => ({ time, value: time }));
    expect(kendallTest(long)?.p).toBeLessThan(1e-12);
  });

  it.each([[[]], [[{ time: 1, value: 2 }]]])('is not defined for %j', (observations) => {
    expect(kendallTest(observations)).toBeNull();
  });
});

function score(values: readonly number[]): number {
  return values
    .flatMap((value, index) => values.slice(0, index).map((earlier) => Math.sign(value - earlier)))
    .reduce((sum, sign) => sum + sign, 0);
}

function permutations(values: readonly number[]): readonly (readonly number[])[] {
  if (values.length <= 1) return [values];
  return values.flatMap((value, index) =>
    permutations(values.filter((_other, at) => at !== index)).map((rest) => [value, ...rest]),
  );
}

describe('power', () => {
  // Found elsewhere by simulating studies: the exact test at alpha 0.05.
  it.each([
    { perArm: 5, lnSd: 0.2, percent: 25, power: 0.25 },
    { perArm: 10, lnSd: 0.2, percent: 25, power: 0.61 },
    { perArm: 15, lnSd: 0.2, percent: 25, power: 0.81 },
    { perArm: 5, lnSd: 0.3, percent: 25, power: 0.12 },
    { perArm: 30, lnSd: 0.3, percent: 25, power: 0.78 },
    { perArm: 5, lnSd: 0.2, percent: 50, power: 0.69 },
    { perArm: 8, lnSd: 0.2, percent: 50, power: 0.95 },
  ])('of +$percent% at n $perArm, sd $lnSd is $power', ({ perArm, lnSd, percent, power }) => {
    expect(Math.abs((rankSumPower(perArm, percent, 0.05, lnSd) ?? NaN) - power)).toBeLessThan(
      0.035,
    );
  });

  it('is null where no result could be significant, and near 1 for large arms', () => {
    expect(rankSumPower(3, 100)).toBeNull();
    expect(rankSumPower(200, 25)).toBeGreaterThan(0.99);
  });
});

describe('exact arithmetic', () => {
  it('adds products as BigInt does', () => {
    const factor = fc.integer({ min: 0, max: 2 ** 48 });
    fc.assert(
      fc.property(fc.array(fc.tuple(factor, factor), { maxLength: 40 }), (pairs) => {
        const sum = new ProductSum();
        for (const [x, y] of pairs) sum.add(x, y);
        expect(sum.total).toBe(pairs.reduce((all, [x, y]) => all + BigInt(x) * BigInt(y), 0n));
      }),
    );
  });

  it('chooses and divides', () => {
    expect([binomial(24, 12), binomial(5, 0), binomial(5, 6), binomial(5, -1)]).toEqual([
      2704156n,
      1n,
      0n,
      0n,
    ]);
    expect(ratio(1n, 3n)).toBe(1 / 3);
    expect(ratio(10n ** 400n, 4n * 10n ** 400n)).toBe(0.25);
  });
});

describe('fixedHalfEven', () => {
  it.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [-2.5, 0, '-2'],
    [0.37, 0, '0'],
    [-0.2, 0, '-0'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [1.005, 2, '1.00'], // lies below the half in binary
    [0.0079365, 3, '0.008'],
  ])('%d with %d decimals is %s', (value, digits, text) => {
    expect(fixedHalfEven(value, digits)).toBe(text);
  });
});
