import { describe, expect, it } from '@jest/globals';
import {
  detectableEffectPercent,
  noetherShift,
} from '../../../../src/domain/statistics/detectable-effect.js';
import { rankSumCutoff } from '../../../../src/domain/statistics/rank-sum-cutoff.js';
import { rankSumNull } from '../../../../src/domain/statistics/rank-sum-null.js';
import {
  repeatsToReach,
  smallestRankSumP,
  smallestSignTestP,
  tasksToReach,
} from '../../../../src/domain/statistics/smallest-p.js';

describe('smallest p', () => {
  it.each([
    [1, 1, 1],
    [1, 5, 2 / 6],
    [2, 2, 1 / 3],
    [3, 3, 0.1],
    [4, 4, 2 / 70],
    [5, 5, 2 / 252],
    [5, 10, 2 / 3003],
    [6, 6, 2 / 924],
    [8, 8, 2 / 12870],
    [12, 12, 2 / 2704156],
  ])('of %d against %d results is %d', (nA, nB, p) => {
    expect(smallestRankSumP(nA, nB)).toBeCloseTo(p, 12);
  });

  it('goes to 0 for large arms instead of failing, and is null for an empty one', () => {
    expect(smallestRankSumP(2_000, 2_000)).toBe(0);
    expect(smallestRankSumP(0, 3)).toBeNull();
  });

  it.each([
    [1, 1],
    [2, 0.5],
    [5, 0.0625],
    [6, 0.03125],
  ])('of the sign test over %d tasks is %d', (tasks, p) => {
    expect(smallestSignTestP(tasks)).toBe(p);
  });

  it('says from which size on alpha can be reached', () => {
    expect([0.5, 0.1, 0.05, 0.01, 0.001].map(repeatsToReach)).toEqual([2, 3, 4, 5, 7]);
    expect([0.5, 0.1, 0.05, 0.03125, 0.01].map(tasksToReach)).toEqual([2, 5, 6, 6, 8]);
    expect(smallestSignTestP(0)).toBeNull();
  });
});

describe('distribution of U without ties', () => {
  it('counts every assignment of ranks, found here by brute force', () => {
    const counts = new Map<number, number>();
    for (let mask = 0; mask < 2 ** 7; mask += 1) {
      const inA = Array.from({ length: 7 }, (_, rank) => ((mask >> rank) & 1) === 1);
      if (inA.filter(Boolean).length !== 3) continue;
      let u = 0;
      inA.forEach(
        (isA, rank) => (u += isA ? inA.slice(0, rank).filter((other) => !other).length : 0),
      );
      counts.set(u, (counts.get(u) ?? 0) + 1);
    }
    const expected = Array.from({ length: 13 }, (_, u) => (counts.get(u) ?? 0) / 35);
    rankSumNull(3, 4).forEach((p, u) => {
      expect(p).toBeCloseTo(expected[u] ?? NaN, 12);
    });
  });

  it('sums to 1', () => {
    expect(rankSumNull(30, 25).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
  });

  // Two-sided critical values at 0.05 as printed in tables of the Mann–Whitney test.
  it.each([
    [3, null],
    [4, 0],
    [5, 2],
    [8, 13],
    [10, 23],
    [20, 127],
  ])('has the cut-off of the printed tables for %d against %d', (n, cutoff) => {
    expect(rankSumCutoff(n, n, 0.05)?.u ?? null).toBe(cutoff);
  });
});

/** Deterministic uniform numbers that have nothing to do with those of the code under test. */
function weyl(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Power of the exact two-sided test against a shift, by running studies of log-normal values. */
function simulatedPower(perArm: number, percent: number, lnSd: number, studies = 1_500): number {
  const random = weyl(20_260_101);
  const draw = (): number => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const cutoff = rankSumCutoff(perArm, perArm, 0.05)?.u ?? -1;
  const shift = Math.log(1 + percent / 100) / lnSd;
  let found = 0;
  for (let study = 0; study < studies; study += 1) {
    const a = Array.from({ length: perArm }, draw);
    const b = Array.from({ length: perArm }, () => draw() + shift);
    const u = a.reduce((sum, x) => sum + b.filter((y) => x > y).length, 0);
    if (u <= cutoff || perArm * perArm - u <= cutoff) found += 1;
  }
  return found / studies;
}

describe('detectable effect', () => {
  it.each([
    [1, 0.05],
    [3, 0.5],
    [4, 0.01],
    [5, 0.001],
  ])('does not exist with %d results per arm at alpha %d', (perArm, alpha) => {
    expect(detectableEffectPercent(perArm, alpha)).toBeNull();
  });

  // Power of the exact test found by simulating studies elsewhere: the effect that has 80 % power lies
  // on the side that these figures say.
  it.each([
    { perArm: 5, lnSd: 0.2, percent: 50, power: 0.69 },
    { perArm: 8, lnSd: 0.2, percent: 50, power: 0.95 },
    { perArm: 10, lnSd: 0.2, percent: 25, power: 0.61 },
    { perArm: 15, lnSd: 0.2, percent: 25, power: 0.81 },
    { perArm: 30, lnSd: 0.3, percent: 25, power: 0.78 },
  ])(
    'agrees with $power for +$percent% at n $perArm, sd $lnSd',
    ({ perArm, lnSd, percent, power }) => {
      const detectable = detectableEffectPercent(perArm, 0.05, lnSd) ?? NaN;
      if (Math.abs(power - 0.8) <= 0.02) expect(Math.abs(detectable - percent)).toBeLessThan(2);
      else expect(detectable < percent).toBe(power > 0.8);
    },
  );

  it.each([4, 5, 7, 10])(
    'is found in 80 %% of independent studies with %d results per arm',
    (perArm) => {
      const percent = detectableEffectPercent(perArm, 0.05, 0.25) ?? NaN;
      expect(Math.abs(simulatedPower(perArm, percent, 0.25) - 0.8)).toBeLessThan(0.04);
    },
  );

  it('shrinks with every result more, also where the formula takes over', () => {
    const sizes = [4, 5, 6, 7, 8, 9, 10, 11, 12, 29, 30, 31, 32, 40, 100];
    const effects = sizes.map((perArm) => Math.round(detectableEffectPercent(perArm) ?? NaN));
    const sorted = [...effects].sort((a, b) => b - a);
    expect(effects).toEqual(sorted);
  });

  it('follows the formula of Noether for large arms', () => {
    // (1.959964 + 0.841621) / sqrt(6 · 50) = 0.161750; sqrt(2) · qnorm(0.661750) = 0.590057
    expect(noetherShift(50, 0.05)).toBeCloseTo(0.590057, 3);
    expect(detectableEffectPercent(50)).toBeCloseTo(
      (Math.exp(0.25 * (noetherShift(50, 0.05) ?? 0)) - 1) * 100,
      9,
    );
    expect(noetherShift(5, 0.05)).toBeNull();
  });
});
