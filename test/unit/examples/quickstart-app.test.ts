import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execa } from 'execa';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
const makeApp = join(examples, 'quickstart', 'make-app.mjs');
const TASKS = [
  ['month-border', 'test/ledger.test.mjs'],
  ['split-rounding', 'test/split.test.mjs'],
] as const;

describe('the app of the quickstart example', () => {
  let dir: string;
  let app: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'llmx-quickstart-'));
    app = join(dir, 'one', 'app');
    await execa(process.execPath, [makeApp, join(dir, 'one')]);
  });

  afterAll(() => rm(dir, { recursive: true, force: true }));

  const git = (...args: string[]) => execa('git', args, { cwd: app });
  const testExit = async (file: string): Promise<number | undefined> => {
    const argv = ['--test', '--test-reporter=tap', file];
    const result = await execa(process.execPath, argv, { cwd: app, reject: false });
    expect(result.stdout).toMatch(/^# suites [1-9]/m);
    return result.exitCode;
  };

  it('has the same commit ids whoever makes it', async () => {
    const env = { GIT_AUTHOR_NAME: 'somebody', GIT_DIR: '/nowhere', TZ: 'Asia/Tokyo' };
    await execa(process.execPath, [makeApp, join(dir, 'two')], { env });
    const other = await execa('git', ['for-each-ref'], { cwd: join(dir, 'two', 'app') });
    expect((await git('for-each-ref')).stdout).toBe(other.stdout);
    expect(other.stdout.split('\n')).toHaveLength(3);
  });

  it('is left alone when it is up to date', async () => {
    const { stdout } = await execa(process.execPath, [makeApp, join(dir, 'one')]);
    expect(stdout).toContain('is up to date');
  });

  it.each(TASKS)('fails the test of %s until the solution is applied', async (task, file) => {
    await git('checkout', '--quiet', 'bench/base');
    expect(await testExit(file)).toBe(0);
    await git('checkout', '--quiet', `bench/${task}`);
    expect(await testExit(file)).toBe(1);
    await git('apply', join(examples, 'quickstart', 'solutions', `${task}.patch`));
    expect(await testExit(file)).toBe(0);
    await git('checkout', '--quiet', '--', '.');
  });
});

it('no example has a package.json: npx has to find the project’s own program', async () => {
  const files = await readdir(examples, { recursive: true });
  expect(files.filter((file) => /(^|\/)package\.json$/.test(file))).toEqual([]);
});
