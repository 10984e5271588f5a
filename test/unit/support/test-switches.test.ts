import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf, startProgram } from '../../fixtures/run-module.js';

const CODE = `
import { crashPoint } from './src/support/test-switches.ts';
process.env.LLMX_TEST_CRASH_FILE = process.argv[2];
for (const point of ['one', 'two', 'three']) {
  console.log(point);
  crashPoint(point);
}
console.log('end');
`;

let folder: string;
let program: string;
let crashFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-switches-'));
  program = await programOf(CODE, folder, 'crashes');
  crashFile = join(folder, 'crash');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** @returns the last point that was reached */
async function lastPoint(): Promise<string> {
  const { child, ended } = startProgram(program, crashFile);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await ended;
  return output.trim().split('\n').at(-1) ?? '';
}

describe('a crash point', () => {
  it('changes nothing without a crash file', async () => {
    expect(await lastPoint()).toBe('end');
  });

  it('ends the process that comes to it, once', async () => {
    await writeFile(crashFile, 'two\n');
    expect(await lastPoint()).toBe('two');
    expect(existsSync(crashFile)).toBe(false);
    expect(await lastPoint()).toBe('end');
  });

  it('waits until those before it in the file were used up', async () => {
    await writeFile(crashFile, 'two\none\nthree\n');
    expect(await lastPoint()).toBe('two');
    expect(await readFile(crashFile, 'utf8')).toBe('one\nthree');
    expect(await lastPoint()).toBe('one');
    expect(await lastPoint()).toBe('three');
    expect(await lastPoint()).toBe('end');
  });
});
