import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecord } from '../../../src/trial/trial-files.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-records-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

const ODD: readonly (readonly [string, (file: string) => void])[] = [
  ['a named pipe', (file) => execFileSync('mkfifo', [file])],
  ['a folder', (file) => mkdirSync(file)],
  ['a link to a record', (file) => symlinkSync(join(dir, 'record'), file)],
  ['a link to itself', (file) => symlinkSync(file, file)],
  ['a list', (file) => writeFileSync(file, '[]')],
  ['half a record', (file) => writeFileSync(file, '{"a":')],
  [
    'gigabytes',
    (file) => {
      writeFileSync(file, '{}');
      truncateSync(file, 3 * 1024 ** 3);
    },
  ],
  ['nothing', () => undefined],
];

describe('a record', () => {
  it('is read', async () => {
    writeFileSync(join(dir, 'record'), '{"a":1}');
    expect(await readRecord(join(dir, 'record'))).toEqual({ a: 1 });
  });

  it.each(ODD)('is as good as missing when it is %s', async (name, make) => {
    const file = join(dir, name);
    make(file);
    expect(await readRecord(file)).toBeNull();
  });
});
