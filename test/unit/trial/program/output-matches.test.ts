import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputMatches } from '../../../../src/trial/program/output-matches.js';

const MB = 1024 * 1024;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-output-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

function fileWith(...parts: readonly (string | Buffer)[]): string {
  const file = join(dir, 'output.txt');
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return file;
}

describe('the suite-ran pattern', () => {
  it.each([
    ['at the start of a line', '^3 runs', 'm', 'x\n3 runs', true],
    ['not without flag m', '^3 runs', '', 'x\n3 runs', false],
    ['in an empty output', 'runs', 'm', '', false],
    ['whatever the case, with flag i', 'RUNS', 'mi', '3 runs', true],
    ['with a flag that remembers where it was', 'runs', 'gm', '3 runs', true],
  ])('is looked for %s', (_name, pattern, flags, output, found) => {
    expect(outputMatches(fileWith(output), pattern, flags)).toBe(found);
  });

  it('is found beside bytes that are no text', () => {
    expect(outputMatches(fileWith(Buffer.of(0xff, 0xfe, 0), '3 runs'), '3 runs', 'm')).toBe(true);
  });

  it('is found at both ends of an output that is too large to search', () => {
    const filler = Buffer.alloc(20 * MB, '.');
    expect(outputMatches(fileWith('3 runs', filler), '\\d runs', 'm')).toBe(true);
    expect(outputMatches(fileWith(filler, '3 runs'), '\\d runs', 'm')).toBe(true);
    expect(outputMatches(fileWith(filler, '3 runs', filler), '\\d runs', 'm')).toBe(false);
  });
});
