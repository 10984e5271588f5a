import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileAtomic, writeFileAtomic } from '../../../src/support/atomic-file.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-atomic-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

// What survives a power cut can't be tested here; that nothing else depends on it can.
describe.each(['all', 'content', 'nothing'] as const)('a file of which %s is synced', (sync) => {
  it('is replaced as a whole and leaves no temporary file', async () => {
    const file = join(dir, 'below', 'file.json');
    await writeFileAtomic(file, 'old and longer\n', { sync });
    await writeFileAtomic(file, 'new\n', { sync, mode: 0o600 });
    expect(await readFile(file, 'utf8')).toBe('new\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(dir, 'below'))).toEqual(['file.json']);
  });

  it('belongs to the first of many who create it', async () => {
    const file = join(dir, 'file.json');
    const writers = Array.from({ length: 20 }, (_, writer) => `${writer}\n`);
    const won = await Promise.all(writers.map((text) => createFileAtomic(file, text, { sync })));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toBe(writers[won.indexOf(true)]);
    expect(await readdir(dir)).toEqual(['file.json']);
  });
});
