import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execa } from 'execa';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { edited } from '../fixtures/experiment-text.js';
import { temporaryFolder } from '../fixtures/results-folder.js';

jest.setTimeout(60_000);

const ENTRY = fileURLToPath(new URL('../../bin/llmx-client.js', import.meta.url));

let dir = '';

beforeAll(async () => {
  dir = await temporaryFolder();
  // Far more cells than a pipe holds.
  await writeFile(join(dir, 'experiment.yml'), edited('trial:\n', 'repeats: 500\ntrial:\n'));
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** Runs a line of shell in which `llmx` is the built CLI; its exit code comes last on stderr. */
async function shell(line: string): Promise<{ stdout: string; stderr: string }> {
  const { stdout, stderr } = await execa(
    'sh',
    ['-c', `llmx() { "$NODE" "$ENTRY" "$@"; }; ${line}`],
    { cwd: dir, env: { NODE: process.execPath, ENTRY, LLMX_STATE_DIR: join(dir, 'state') } },
  );
  return { stdout, stderr };
}

describe('a reader that has read enough', () => {
  it.each([
    ['plan', 'plan'],
    ['plan --json', 'plan --json'],
    ['--help', '--help'],
  ])('is no error for %s', async (_name, command) => {
    const { stdout, stderr } = await shell(`{ llmx ${command}; echo "exit $?" >&2; } | head -n 1`);
    expect(stdout.length).toBeGreaterThan(0);
    expect(stderr).toBe('exit 0');
  });

  it('is no error when it is gone before the first line', async () => {
    expect((await shell('{ llmx plan; echo "exit $?" >&2; } | true')).stderr).toBe('exit 0');
    const silent = await shell('{ llmx nosuch 2>&1; echo "exit $?" >&2; } | true');
    expect(silent.stderr).toBe('exit 0');
  });
});

describe('a place that takes no more', () => {
  it('is an error with a next step and no stack trace', async () => {
    // No file may grow, as on a full disk.
    const line = `trap '' XFSZ; ulimit -f 0; llmx plan > out.txt; echo "exit $?" >&2`;
    expect((await shell(line)).stderr).toMatchInlineSnapshot(`
     "error: the result can not be written to standard output: EFBIG
     next: free some space or write to another place, then run the command again
     exit 1"
    `);
  });

  it('does not cost the result when it is only the place for notes', async () => {
    const line = `trap '' XFSZ; ulimit -f 0; llmx report 2> notes.txt; echo "exit $?" >&2`;
    const { stdout, stderr } = await shell(line);
    expect(stderr).toBe('exit 0');
    expect(stdout).toContain('Rails prompts');
  });
});
