import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isErrno,
  readJsonIfExists,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../../src/support/atomic-file.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';
import { programOf, startProgram } from '../../fixtures/run-module.js';

jest.setTimeout(30_000);

let dir = '';
let file = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  file = join(dir, 'file.txt');
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const text = (): Promise<string> => readFile(file, 'utf8');

describe('an atomic write', () => {
  it('leaves nothing behind when it fails', async () => {
    await mkdir(join(file, 'in the way'), { recursive: true });
    await expect(writeFileAtomic(file, 'text')).rejects.toMatchObject({ syscall: 'rename' });
    expect(await readdir(dir)).toEqual(['file.txt']);
  });

  it('never shows a part, also when the writer is killed', async () => {
    const code = `
import { writeFileAtomic } from './src/support/atomic-file.js';
const file = process.argv[2] ?? '';
for (let round = 0; ; round++) {
  await writeFileAtomic(file, String(round % 10).repeat(1_000_000));
  if (round === 3) console.log('writing');
}
`;
    const writer = startProgram(await programOf(code, dir, 'writer'), file);
    await writer.printed('writing');
    const seen = [await text(), await text(), await text()];
    writer.child.kill('SIGKILL');
    await writer.ended;
    for (const content of [...seen, await text()]) expect(content).toMatch(/^(\d)\1{999999}$/);
  });
});

describe('JSON files', () => {
  it('come back as they were written', async () => {
    await writeJsonAtomic(file, { b: [1, null], a: 'ä' });
    expect(await text()).toBe('{\n  "b": [\n    1,\n    null\n  ],\n  "a": "ä"\n}\n');
    expect(await readJsonIfExists(file)).toEqual({ b: [1, null], a: 'ä' });
  });

  it('are null when there is none, and an error when they are torn', async () => {
    expect(await readJsonIfExists(file)).toBeNull();
    await writeFile(file, '{"a":');
    expect(await readJsonIfExists(join(file, 'below'))).toBeNull();
    await expect(readJsonIfExists(file)).rejects.toThrow(SyntaxError);
  });
});

describe('the code of an error', () => {
  it('is looked at for any thrown value', () => {
    expect(isErrno(Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT')).toBe(true);
    expect(isErrno(new Error('x'), 'ENOENT')).toBe(false);
    for (const thrown of [null, undefined, 'ENOENT', 1])
      expect(isErrno(thrown, 'ENOENT')).toBe(false);
  });
});
