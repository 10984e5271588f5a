import { describe, expect, it } from '@jest/globals';
import { below, seededBits, unit } from '../../../../src/domain/random/seeded-bits.js';

describe('seededBits', () => {
  it('gives the same sequence for the same text', () => {
    const one = seededBits('7\ntask');
    const two = seededBits('7\ntask');
    expect([one(), one(), one()]).toEqual([two(), two(), two()]);
  });

  it('gives unrelated sequences for texts that differ in one character', () => {
    const firsts = Array.from({ length: 1_000 }, (_, seed) => seededBits(`${seed}\ntask`)());
    expect(new Set(firsts).size).toBe(1_000);
    const mean = firsts.reduce((sum, value) => sum + value / 2 ** 32, 0) / 1_000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  });

  it('sets each of the 32 bits about half of the time', () => {
    const bits = seededBits('bits');
    const ones = new Array<number>(32).fill(0);
    for (let draw = 0; draw < 4_000; draw += 1) {
      const value = bits();
      ones.forEach((_, bit) => (ones[bit] = (ones[bit] ?? 0) + ((value >>> bit) & 1)));
    }
    for (const count of ones) expect(Math.abs(count - 2_000)).toBeLessThan(160);
  });
});

describe('below', () => {
  it('redraws what would favour the small numbers', () => {
    const outputs = [2 ** 32 - 1, 4];
    expect(below(() => outputs.shift() ?? 0, 3)).toBe(1);
    expect(outputs).toEqual([]);
  });

  it('stays below the limit and reaches every number', () => {
    const bits = seededBits('below');
    const drawn = new Set(Array.from({ length: 200 }, () => below(bits, 7)));
    expect([...drawn].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('unit', () => {
  it('is never 0 and never 1', () => {
    expect(unit(() => 0)).toBeGreaterThan(0);
    expect(unit(() => 2 ** 32 - 1)).toBeLessThan(1);
  });
});
