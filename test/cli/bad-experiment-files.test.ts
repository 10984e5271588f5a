import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli, type CliRun } from '../fixtures/built-cli.js';
import { edited, RAILS_FILE } from '../fixtures/experiment-text.js';
import { folderContents } from '../fixtures/folder-contents.js';
import { temporaryFolder } from '../fixtures/results-folder.js';

jest.setTimeout(60_000);

const COMMANDS = ['plan', 'start-grid', 'doctor'] as const;

/** One mistake each, and what its error has to say. */
const BAD_FILES: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  [
    'a misspelt key',
    edited('conditions:', 'conditon:'),
    /experiment\.yml:6:1: unknown keys in experiment\.yml: conditon/,
  ],
  [
    'a task id twice',
    edited('id: fix-sort', 'id: fix-total'),
    /experiment\.yml:19:9: duplicate task ids: fix-total/,
  ],
  ['an unknown database', edited('sqlite3', 'mysql'), /:12:15: .*database must be one of/],
  [
    'no branch_prefix',
    edited('    branch_prefix: trial-src\n', ''),
    /:10:3: apps\.todo needs branch_prefix/,
  ],
  ['a tab', edited('  codex:', '\tcodex:'), /:5:1: a tab indents this line/],
  ['nothing', '', /^experiment\.yml: .*the file is empty$/],
  ['5 MB', `${RAILS_FILE}# ${'x'.repeat(5_000_000)}\n`, /the file has 4\.8 MiB; .*at most 1 MiB/],
  [
    'a task id that is a path',
    edited('id: fix-sort', 'id: ../../x'),
    /:19:9: task \.\.\/\.\.\/x: id must be a plain name/,
  ],
  ['a negative time limit', edited('600', '-5'), /:8:20: .*at least 1, not -5/],
  [
    'a memory that is no size',
    edited('timeout_seconds: 600', 'memory: lots'),
    /:8:11: trial: memory must be a size, not lots/,
  ],
  [
    'a pattern that does not compile',
    edited('ruby: 3.0', 'ruby: 3.0\n    suite_ran_pattern: "(oops"'),
    /:12:24: .*suite_ran_pattern does not compile/,
  ],
  ['a NUL', edited('prompts', 'pro\0mpts'), /:1:16: the file has a NUL character/],
  [
    'an alias',
    edited('question: Does a short prompt do?', 'question: *name'),
    /:2:11: YAML aliases are not allowed: \*name/,
  ],
];

describe('a bad experiment file', () => {
  let root = '';

  beforeEach(async () => {
    root = await temporaryFolder();
    await mkdir(join(root, 'experiment'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const write = (text: string): Promise<void> =>
    writeFile(join(root, 'experiment', 'experiment.yml'), text);
  /** Home and state folder lie beside the experiment: whatever is written shows up below the root. */
  const run = (...argv: string[]): Promise<CliRun> =>
    runCli(argv, {
      cwd: join(root, 'experiment'),
      env: { HOME: join(root, 'home'), LLMX_STATE_DIR: join(root, 'state') },
    });

  it('is needed for what follows: the same file without a mistake has a plan', async () => {
    await write(RAILS_FILE);
    expect(await run('plan', '--json')).toMatchObject({ exit: 0, stderr: '' });
  });

  it.each(BAD_FILES)('is one clear error, exit code 2, nothing written: %s', async (...bad) => {
    const [, text, says] = bad;
    await write(text);
    const before = await folderContents(root);
    const human = await run('plan');
    const answers = await Promise.all(COMMANDS.map((command) => run(command, '--json')));
    for (const { exit, stderr, json } of answers) {
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: '' });
      const { error, ...rest } = json<{ error: { message: string; hint: string } }>();
      expect(rest).toEqual({ schemaVersion: 1 });
      expect(error).toEqual({
        code: 'experiment_invalid',
        message: expect.stringMatching(says),
        hint: expect.stringMatching(/\S/),
      });
      expect(error.message.match(/^experiment\.yml/gm)).toHaveLength(1);
      expect(human).toMatchObject({
        exit: 2,
        stdout: '',
        stderr: `error: ${error.message}\nnext: ${error.hint}`,
      });
    }
    expect(human.stderr).not.toMatch(/^\s+at |node:|\.js:\d/m);
    expect(human.stderr.length).toBeLessThan(1_000);
    expect(await folderContents(root)).toEqual(before);
  });

  it('is shown with its line, a caret and the fix', async () => {
    await write(edited('conditions:', 'conditon:'));
    expect((await run('plan')).stderr).toMatchInlineSnapshot(`
     "error: experiment.yml:6:1: unknown keys in experiment.yml: conditon
       6 | conditon: [base, short]
         | ^^^^^^^^
     next: did you mean conditions?"
    `);
    await write(edited('timeout_seconds: 600', 'memory: lots'));
    expect((await run('start-grid')).stderr).toMatchInlineSnapshot(`
     "error: experiment.yml:8:11: trial: memory must be a size, not lots
       8 |   memory: lots
         |           ^^^^
     next: write a whole number and a unit, such as 6g or 512m"
    `);
    await write('');
    expect((await run('doctor')).stderr).toMatchInlineSnapshot(`
     "error: experiment.yml: experiment.yml needs a name: the file is empty
     next: write name, agents, conditions, apps and tasks"
    `);
  });

  it('is told with every fault at once, each with its fix', async () => {
    await write(edited('sqlite3', 'mysql', edited('conditions:', 'conditon:')));
    expect((await run('plan')).stderr).toMatchInlineSnapshot(`
     "error: experiment.yml:6:1: unknown keys in experiment.yml: conditon
       6 | conditon: [base, short]
         | ^^^^^^^^
       fix: did you mean conditions?
     experiment.yml:12:15: apps.todo: database must be one of sqlite3, postgresql, not mysql
       12 |     database: mysql
          |               ^^^^^
       fix: write one of sqlite3, postgresql
     next: did you mean conditions?"
    `);
  });

  it('stops every command that reads it', async () => {
    await write(edited('conditions:', 'conditon:'));
    const before = await folderContents(root);
    const runs = await Promise.all([
      run('status', '--json'),
      run('report', '--json'),
      run('run-trial', 'fix-total', 'claude', 'base', '--json'),
      run('start-grid', '--dry-run', '--json'),
      run('start-grid', '--wait', '--redo-done', '--json'),
    ]);
    for (const { exit, stderr, json } of runs) {
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: '' });
      expect(json()).toMatchObject({ error: { code: 'experiment_invalid' } });
    }
    expect(await folderContents(root)).toEqual(before);
  });
});
