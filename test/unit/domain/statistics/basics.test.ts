import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { median, percentChange } from '../../../../src/domain/statistics/median.js';
import { normalCdf, normalQuantile } from '../../../../src/domain/statistics/normal.js';
import { wilsonInterval } from '../../../../src/domain/statistics/wilson.js';

describe('median', () => {
  it.each([
    { values: [], middle: null },
    { values: [310.5], middle: 310.5 },
    { values: [9, 4, 12, 7, 7], middle: 7 },
    { values: [100, 20, 3, 1000], middle: 60 },
    { values: [-3, -10], middle: -6.5 },
  ])('of $values is $middle', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  it('leaves its input as it is', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('has at most half of the values on either side', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (values) => {
        const middle = median(values) ?? NaN;
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(
          values.length / 2,
        );
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(
          values.length / 2,
        );
      }),
    );
  });
});

describe('percentChange', () => {
  it.each([
    { baseline: 7, value: 9, change: 28.57142857142857 },
    { baseline: 310.5, value: 298.25, change: -3.9452495974235107 },
    { baseline: 0, value: 1, change: null },
    { baseline: null, value: 1, change: null },
    { baseline: 1, value: null, change: null },
  ])('from $baseline to $value is $change', ({ baseline, value, change }) => {
    if (change === null) expect(percentChange(baseline, value)).toBeNull();
    else expect(percentChange(baseline, value)).toBeCloseTo(change, 12);
  });
});

describe('normal distribution', () => {
  // R: pnorm(c(-3, -1, 0, 0.5, 1.959964, 4)), qnorm(c(0.025, 0.2, 0.5, 0.8, 0.975, 0.999))
  it.each([
    [-3, 0.0013498980316301],
    [-1, 0.158655253931457],
    [0, 0.5],
    [0.5, 0.691462461274013],
    [4, 0.999968328758167],
  ])('below %d lies %d', (x, p) => {
    expect(normalCdf(x)).toBeCloseTo(p, 13);
  });

  it.each([
    [0.025, -1.95996398454005],
    [0.2, -0.841621233572914],
    [0.5, 0],
    [0.975, 1.95996398454005],
    [0.999, 3.09023230616781],
  ])('the %d quantile is %d', (p, x) => {
    expect(normalQuantile(p)).toBeCloseTo(x, 11);
  });
});

describe('wilsonInterval', () => {
  // Where all or none passed, Wilson's bound is n / (n + z²) and its complement, z² = 3.841459.
  it.each([
    { passed: 5, n: 5, low: 0.565518, high: 1 },
    { passed: 100, n: 100, low: 0.963005, high: 1 },
    { passed: 0, n: 5, low: 0, high: 0.434482 },
    { passed: 1, n: 2, low: 0.094531, high: 0.905469 },
    { passed: 7, n: 10, low: 0.396781, high: 0.892209 },
  ])('of $passed in $n is $low to $high', ({ passed, n, low, high }) => {
    const interval = wilsonInterval(passed, n);
    expect(interval?.low).toBeCloseTo(low, 5);
    expect(interval?.high).toBeCloseTo(high, 5);
  });

  it('is exactly 0 and 1 at the ends, and nothing without trials', () => {
    expect(wilsonInterval(0, 3)?.low).toBe(0);
    expect(wilsonInterval(3, 3)?.high).toBe(1);
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});
