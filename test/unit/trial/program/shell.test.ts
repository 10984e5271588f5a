import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { isConclusive, shellQuote } from '../../../../src/trial/program/shell.js';

describe('a quoted name', () => {
  it('reaches the program as it is', () => {
    const name = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 20 }), (names) => {
        const script = `printf '%s\\0' ${names.map(shellQuote).join(' ')}`;
        const printed = execFileSync('bash', ['-c', script]).toString();
        expect(printed.split('\0').slice(0, -1)).toEqual(
          names.map((text) => Buffer.from(text).toString()),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('a test run', () => {
  const run = { exit: 1, signal: null, timedOut: false, seconds: 1, suiteRan: true };
  it.each([
    ['ran to its end', run, true],
    ['did not start', { ...run, suiteRan: false }, false],
    ['ran out of time', { ...run, timedOut: true }, false],
  ])('that %s says so', (_name, test, conclusive) => {
    expect(isConclusive(test)).toBe(conclusive);
  });
});
