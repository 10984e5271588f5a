import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Command } from 'commander';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram } from '../../src/client/program.js';
import { runCli, type CliRun } from '../fixtures/built-cli.js';
import { capturedCli } from '../fixtures/captured-cli.js';
import { folderContents } from '../fixtures/folder-contents.js';
import { temporaryFolder } from '../fixtures/results-folder.js';

jest.setTimeout(60_000);

const MANIFEST = new URL('../../package.json', import.meta.url);

let dir = '';

beforeAll(async () => {
  dir = await temporaryFolder();
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const run = (...argv: readonly string[]): Promise<CliRun> =>
  runCli(argv, { cwd: dir, env: { LLMX_STATE_DIR: join(dir, 'state') } });

const manifest = async (): Promise<{ version: string; bin: Record<string, string> }> =>
  JSON.parse(await readFile(MANIFEST, 'utf8')) as never;

/** What is typed, what is said, and the help that is named as the next command. */
const MISTAKES: readonly (readonly [typed: string, says: string, next: string])[] = [
  ['nosuch', "unknown command 'nosuch'", 'llmx-client --help'],
  ['plann', "unknown command 'plann'\n(Did you mean plan?)", 'llmx-client --help'],
  ['help nosuch', "unknown command 'nosuch'", 'llmx-client --help'],
  ['--nosuch', "unknown option '--nosuch'", 'llmx-client --help'],
  ['plan --jsn', "unknown option '--jsn'\n(Did you mean --json?)", 'llmx-client plan --help'],
  ['plan --agent', "option '--agent <name>' argument missing", 'llmx-client plan --help'],
  ['plan x', "too many arguments for 'plan'", 'llmx-client plan --help'],
  ['run-trial', "missing required argument 'task'", 'llmx-client run-trial --help'],
  ['run-trial a b', "missing required argument 'condition'", 'llmx-client run-trial --help'],
  ['approve', "missing required argument 'workflow'", 'llmx-client approve --help'],
  ['server', 'a command is missing', 'llmx-client server --help'],
  ['server stpo', "unknown command 'stpo'\n(Did you mean stop?)", 'llmx-client server --help'],
  ['server start --x', "unknown option '--x'", 'llmx-client server start --help'],
];

describe('a mistake in the command line', () => {
  it.each(MISTAKES)('ends with exit code 2 and the help that answers it: %s', async (...row) => {
    const [typed, says, next] = row;
    const { exit, stdout, stderr } = await run(...typed.split(' '));
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr.startsWith(`error: ${says}`)).toBe(true);
    expect(stderr.endsWith(`\nnext: ${next}`)).toBe(true);
  });

  it.each([...new Set(MISTAKES.map(([, , next]) => next))])('is answered by: %s', async (next) => {
    const help = await run(...next.split(' ').slice(1));
    expect(help).toMatchObject({ exit: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: ${next.replace(/ --help$/, '')} `);
  });

  it('is one JSON value on request', async () => {
    const runs = await Promise.all([
      run('nosuch', '--json'),
      run('--json'),
      run('plan', '--json', 'x'),
      run('report', '--md', '--json'),
    ]);
    for (const { exit, stderr, json } of runs) {
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: '' });
      expect(json()).toEqual({
        schemaVersion: 1,
        error: {
          code: 'usage',
          message: expect.stringMatching(/\w/),
          hint: expect.stringMatching(/^llmx-client .*--help$/),
        },
      });
    }
  });

  it('writes nothing', async () => {
    expect(await folderContents(dir)).toEqual({});
  });
});

describe('the bare command', () => {
  it('shows every command on stderr and is a usage error', async () => {
    const { exit, stdout, stderr } = await run();
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    for (const command of buildProgram(capturedCli().cli).commands)
      expect(stderr).toMatch(new RegExp(`^  ${command.name()} `, 'm'));
    expect(stderr.split('\n').length).toBeLessThan(40);
  });
});

describe('help', () => {
  it.each(['', ...commandNames(buildProgram(capturedCli().cli))])(
    'starts with examples of the command: %s',
    async (name) => {
      const { exit, stdout, stderr } = await run(...name.split(' ').filter(Boolean), '--help');
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toMatch(/^Examples:\n {2}llmx-client /);
      expect(stdout).toContain(`llmx-client ${name}`.trimEnd());
      expect(stdout).toContain(`\nUsage: ${`llmx-client ${name}`.trimEnd()} `);
    },
  );

  it('is the same as the help command', async () => {
    expect(await run('help', 'plan')).toMatchObject({ stdout: (await run('plan', '-h')).stdout });
  });
});

describe('the program', () => {
  it('tells the version of its package', async () => {
    const { version } = await manifest();
    for (const flag of ['--version', '-V']) {
      expect(await run(flag)).toMatchObject({ exit: 0, stdout: version, stderr: '' });
    }
  });

  it('has two names for one file, which is a Node script', async () => {
    const { bin } = await manifest();
    expect(bin['llmx']).toBe(bin['llmx-client']);
    const file = new URL(bin['llmx'] ?? '', MANIFEST);
    expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await stat(file)).mode & 0o111).toBe(0o111);
  });
});

/** Every command and subcommand, by the words that name it. */
function commandNames(parent: Command, before: readonly string[] = []): readonly string[] {
  return parent.commands.flatMap((command) => {
    const words = [...before, command.name()];
    return [words.join(' '), ...commandNames(command, words)];
  });
}
