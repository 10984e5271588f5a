import { describe, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeGb } from '../../../src/support/free-disk.js';
import { runCommand } from '../../../src/support/run-command.js';

describe('free disk space', () => {
  it('is what df says, in GB of 1e9 bytes', async () => {
    const { stdout } = await runCommand(['df', '-Pk', tmpdir()]);
    const available = Number(stdout.trim().split('\n').at(-1)?.split(/\s+/)[3]) * 1024;
    // Other programs write meanwhile.
    expect(Math.abs((await freeGb(tmpdir())) - available / 1e9)).toBeLessThan(5);
  });

  it('is that of the nearest folder above when the path is not made yet', async () => {
    const missing = await freeGb(join(tmpdir(), 'llmx-no', 'such', 'folder'));
    expect(Math.abs(missing - (await freeGb(tmpdir())))).toBeLessThan(5);
  });

  it('is that of the folder where a file is in the way', async () => {
    const below = await freeGb(join('/dev/null', 'x'));
    expect(Math.abs(below - (await freeGb('/dev/null')))).toBeLessThan(5);
  });
});
