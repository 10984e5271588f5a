import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initCommand } from '../../../../src/client/commands/init.js';
import { resolveCommits } from '../../../../src/storage/app-commits.js';
import {
  checkoutFor,
  findExperiment,
  promptPath,
} from '../../../../src/storage/experiment-folder.js';
import { runCommandLine, type Captured } from '../../../fixtures/captured-cli.js';
import { git } from '../../../fixtures/git-checkout.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-init-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const init = (...argv: string[]): Promise<Captured> => runCommandLine(initCommand, argv, dir);

/** Runs the app's tests as a trial does. */
function runTests(checkout: string): { readonly passed: boolean; readonly output: string } {
  const args = ['--test', '--test-reporter=tap', 'test/delivery.test.mjs'];
  const env = { PATH: process.env['PATH'] };
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: checkout,
    encoding: 'utf8',
    env,
  });
  return { passed: status === 0, output: stdout };
}

describe('init', () => {
  it('makes an experiment without a fault, with prompts, branches and a checkout', async () => {
    await init('try');
    const { dir: made, experiment } = await findExperiment(join(dir, 'try'), {});
    expect(experiment).toMatchObject({
      name: 'try',
      runtime: 'process',
      conditions: ['plain', 'hinted'],
    });
    expect(experiment.agents.map((agent) => agent.kind)).toEqual(['oracle', 'nop']);
    for (const condition of experiment.conditions) {
      const prompt = promptPath(made, experiment, 'free-delivery', condition);
      expect(await readFile(prompt, 'utf8')).toMatch(/\S/);
    }
    const [app] = experiment.apps;
    if (app === undefined) throw new Error('no app');
    const checkout = await checkoutFor(made, app.key, {});
    expect(checkout).toBe(join(made, 'app'));
    const ids = experiment.tasks.map((task) => task.id);
    expect(Object.keys((await resolveCommits(app, ids, checkout)).tasks)).toEqual(ids);
  });

  it('plants a bug that the test shows and the solution fixes', async () => {
    await init();
    const app = join(dir, 'app');
    const { experiment } = await findExperiment(dir, {});
    const ran = new RegExp(
      experiment.apps[0]?.suiteRanPattern ?? '',
      experiment.apps[0]?.suiteRanFlags,
    );
    expect(runTests(app).passed).toBe(true);
    git(app, 'checkout', '--quiet', 'bench/free-delivery');
    const before = runTests(app);
    expect(before.passed).toBe(false);
    expect(before.output).toMatch(ran);
    git(app, 'apply', '../solutions/free-delivery.patch');
    expect(runTests(app).passed).toBe(true);
  });

  it('makes the same commits every time', async () => {
    await init('a');
    await init('b');
    const heads = ['a', 'b'].map((name) => git(join(dir, name, 'app'), 'rev-parse', '--all'));
    expect(heads[0]).toBe(heads[1]);
  });

  it('says what it made and what to type next', async () => {
    const { stdout, stderr } = await init('my experiments/one');
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'made .apps.local',
      'made .gitignore',
      'made experiment.yml',
      'made prompts/shop/free-delivery/hinted.txt',
      'made prompts/shop/free-delivery/plain.txt',
      'made solutions/free-delivery.patch',
      'made app/',
      "next: cd 'my experiments/one' && llmx-client start-grid --wait",
    ]);
  });

  it('prints one JSON value with --json', async () => {
    const { stdout } = await init('--json');
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, kind: 'init', folder: '.' });
  });

  it.each(['2024-01-31', 'null', '实验', '007', 'a: b'])(
    'gives an experiment in a folder called %s a name that can be read',
    async (name) => {
      await init(name);
      const { experiment } = await findExperiment(join(dir, name), {});
      expect(experiment.name).toMatch(/^[a-z0-9-]+$/);
    },
  );

  it('keeps a .gitignore that is there and says so', async () => {
    await writeFile(join(dir, '.gitignore'), 'mine\n');
    const { stderr } = await init();
    expect(stderr).toMatch(/^\.gitignore was there and stays as it is/);
    expect(await readFile(join(dir, '.gitignore'), 'utf8')).toBe('mine\n');
  });

  it.each(['experiment.yml', 'prompts', 'app', '.apps.local'])(
    'refuses a folder that has %s, and changes nothing',
    async (name) => {
      await mkdir(join(dir, name));
      await expect(init()).rejects.toMatchObject({
        code: 'init_exists',
        exitCode: 2,
        message: `${dir} already has ${name}; init never overwrites anything`,
      });
      expect(await readdir(dir)).toEqual([name]);
      expect(await readdir(join(dir, name))).toEqual([]);
    },
  );

  it('does not write through a link that leads nowhere', async () => {
    await symlink('elsewhere', join(dir, 'experiment.yml'));
    await expect(init()).rejects.toMatchObject({ code: 'init_exists' });
    expect(await readdir(dir)).toEqual(['experiment.yml']);
  });

  it('refuses a second time in the same folder', async () => {
    await init();
    await expect(init()).rejects.toMatchObject({ code: 'init_exists' });
  });

  it('makes nothing in a file’s place', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(init('file')).rejects.toMatchObject({ code: 'init_failed', exitCode: 2 });
    await expect(init('file/below')).rejects.toMatchObject({ code: 'init_failed' });
    expect(await readdir(dir)).toEqual(['file']);
  });

  it('leaves no trace when git is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = dir;
    try {
      await expect(init('new/folder')).rejects.toMatchObject({
        code: 'init_failed',
        hint: 'install git',
        message: `nothing was made in ${join(dir, 'new/folder')}: git was not found on PATH`,
      });
    } finally {
      process.env['PATH'] = path;
    }
    expect(await readdir(dir)).toEqual([]);
  });

  it('is not disturbed by the settings of the person who runs it', async () => {
    const home = join(dir, 'home');
    await mkdir(home);
    await writeFile(
      join(home, '.gitconfig'),
      '[commit]\n\tgpgSign = true\n[core]\n\tautocrlf = true\n[diff]\n\tnoprefix = true\n',
    );
    await chmod(home, 0o700);
    const before = process.env['HOME'];
    process.env['HOME'] = home;
    try {
      await init('a');
    } finally {
      process.env['HOME'] = before;
    }
    const patch = await readFile(join(dir, 'a', 'solutions', 'free-delivery.patch'), 'utf8');
    expect(patch).toMatch(/^--- a\/src\/delivery\.mjs$/m);
  });
});
