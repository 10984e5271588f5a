import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextStamp, trialHashOf, trialIdOf } from '../../../src/trial/ids.js';

const CELL = { task: 't', agent: 'a', condition: 'c' };

describe('trial ids', () => {
  it('name experiment, cell and stamp', () => {
    expect(trialIdOf('key', CELL, '20260101T000000Z')).toBe('key/t/a/c/20260101T000000Z');
  });

  it('have a short form that depends on all of it', () => {
    const hash = trialHashOf(trialIdOf('key', CELL, '20260101T000000Z'));
    expect(hash).toMatch(/^[0-9a-f]{20}$/);
    expect(hash).not.toBe(trialHashOf(trialIdOf('key', CELL, '20260101T000001Z')));
  });
});

describe('the next stamp', () => {
  it.each([
    ['20260101T000000Z', '20260101T000001Z'],
    ['20261231T235959Z', '20270101T000000Z'],
    ['20280228T235959Z', '20280229T000000Z'],
  ])('after %s is %s', (stamp, next) => {
    expect(nextStamp(stamp)).toBe(next);
  });

  it('sorts after the stamp it comes from', () => {
    const stamps = fc
      .date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
      .map((date) => `${date.toISOString().replace(/\.\d+Z$|[-:]/g, '')}Z`);
    fc.assert(fc.property(stamps, (stamp) => nextStamp(stamp) > stamp));
  });
});
