import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, type CommandResult } from '../../../src/support/run-command.js';

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'ensure-test-server.mjs');

let folder: string;
let cache: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-test-server-'));
  cache = join(folder, 'cache');
  await mkdir(join(folder, 'bin'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const program = (name: string, script: string): Promise<void> =>
  writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** With only the given programs on PATH. */
const run = (env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand([process.execPath, SCRIPT], {
    env: { PATH: join(folder, 'bin'), LLMX_CACHE_DIR: cache, ...env },
  });

describe('ensure-test-server', () => {
  it('takes the program that LLMX_TEST_SERVER_BIN names', async () => {
    await program('server', '');
    const path = join(folder, 'bin', 'server');
    expect(await run({ LLMX_TEST_SERVER_BIN: path })).toMatchObject({
      exit: 0,
      stdout: `${path}\n`,
    });
  });

  it('refuses one that is not there', async () => {
    const result = await run({ LLMX_TEST_SERVER_BIN: join(folder, 'nowhere') });
    expect(result).toMatchObject({ exit: 1, stdout: '' });
    expect(result.stderr).toContain('nowhere does not exist');
  });

  it('fetches it once with Maven and finds it in the cache afterwards', async () => {
    await program('java', 'exit 0');
    await program('mvn', 'if [ "$1" != --version ]; then /bin/mkdir lib; echo noise; fi');
    const path = join(cache, 'test-server-1.31.0', 'run.sh');
    expect(await run()).toMatchObject({ exit: 0, stdout: `${path}\n` });
    await rm(join(folder, 'bin', 'mvn'));
    expect(await run()).toMatchObject({ exit: 0, stdout: `${path}\n` });
    expect(await readdir(cache)).toEqual(['test-server-1.31.0']);
  });

  it('leaves nothing behind when Maven fails', async () => {
    await program('java', 'exit 0');
    await program('mvn', 'if [ "$1" != --version ]; then exit 4; fi');
    const result = await run();
    expect(result.exit).toBe(1);
    expect(result.stderr).toContain('exit 4');
    expect(await readdir(cache)).toEqual([]);
  });

  it.each([
    ['Java', []],
    ['Maven', ['java']],
  ])('says that %s is missing', async (what, present) => {
    for (const name of present) await program(name, 'exit 0');
    const result = await run();
    expect(result.exit).toBe(1);
    expect(result.stderr).toContain(what);
    expect(result.stderr).not.toContain('    at ');
  });
});
