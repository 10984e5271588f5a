import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LlmxError } from '../../../src/errors/llmx-error.js';
import { knownCommits, resolveCommits } from '../../../src/storage/app-commits.js';
import { git, makeCheckout } from '../../fixtures/git-checkout.js';

let dir: string;
const app = { key: 'todo-x', branchPrefix: 'trial/src' };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-commits-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function errorOf(
  tasks: readonly string[],
  checkout: string | null = dir,
): Promise<LlmxError> {
  return resolveCommits(app, tasks, checkout).then(
    () => {
      throw new Error('it was resolved');
    },
    (error: unknown) => error as LlmxError,
  );
}

describe('the commits of an app', () => {
  it('are those of the branches with the exact names', async () => {
    makeCheckout(dir, ['trial/src/base', 'trial/src/t1', 'trial/src/t1-other', 'trial/src/t2']);
    expect(await resolveCommits(app, ['t1', 't2'], dir)).toEqual({
      base: git(dir, 'rev-parse', 'trial/src/base'),
      tasks: {
        t1: git(dir, 'rev-parse', 'trial/src/t1'),
        t2: git(dir, 'rev-parse', 'trial/src/t2'),
      },
    });
  });

  it('are those of the only branch with a suffix', async () => {
    makeCheckout(dir, ['trial/src/base', 'trial/src/t1-wrong-total', 'trial/src/t10']);
    const { tasks } = await resolveCommits(app, ['t1'], dir);
    expect(tasks['t1']).toBe(git(dir, 'rev-parse', 'trial/src/t1-wrong-total'));
  });

  it('are not those of another task whose name is longer', async () => {
    makeCheckout(dir, ['trial/src/base', 'trial/src/t1-two', 'trial/src/t1-slug']);
    const { tasks } = await resolveCommits(app, ['t1', 't1-two'], dir);
    expect(tasks['t1']).toBe(git(dir, 'rev-parse', 'trial/src/t1-slug'));
  });

  it('are not guessed from two branches with a suffix', async () => {
    makeCheckout(dir, ['trial/src/base', 'trial/src/t1-a', 'trial/src/t1-b']);
    expect(await errorOf(['t1'])).toMatchObject({
      code: 'branch_ambiguous',
      message: 'app todo-x: task t1 could be any of the branches trial/src/t1-a, trial/src/t1-b',
      hint: 'in the checkout, rename the right one: git branch -m trial/src/t1-a trial/src/t1',
    });
    expect(await knownCommits(app, ['t1'], dir)).toEqual({
      base: git(dir, 'rev-parse', 'trial/src/base'),
      tasks: { t1: null },
    });
  });

  it('need the base', async () => {
    makeCheckout(dir, ['trial/src/t1', 'trial/src/base-old']);
    expect(await errorOf(['t1'])).toMatchObject({
      code: 'branch_not_found',
      message:
        'app todo-x: no branch trial/src/base in the checkout (it has trial/src/base-old, trial/src/t1)',
    });
  });

  it('are fetched first in a fresh clone', async () => {
    const origin = join(dir, 'origin');
    await mkdir(origin);
    makeCheckout(origin, ['trial/src/base', 'trial/src/t1']);
    git(dir, 'clone', '--quiet', origin, 'clone');
    const error = await errorOf(['t1'], join(dir, 'clone'));
    const hint = "git fetch origin 'refs/heads/trial/src/*:refs/heads/trial/src/*'";
    expect(error.hint).toBe(`in the checkout: ${hint}`);
    git(
      join(dir, 'clone'),
      'fetch',
      '--quiet',
      'origin',
      'refs/heads/trial/src/*:refs/heads/trial/src/*',
    );
    expect((await resolveCommits(app, ['t1'], join(dir, 'clone'))).tasks).toHaveProperty('t1');
  });

  it('need a checkout', async () => {
    expect(await errorOf(['t1'], null)).toMatchObject({
      code: 'checkout_not_set',
      message: 'app todo-x: LLMX_APP_TODO_X is not set',
      hint: 'export LLMX_APP_TODO_X=/path/to/the/checkout',
    });
    expect(await knownCommits(app, ['t1'], null)).toBeNull();
  });

  it('are not those of a repository around the folder', async () => {
    makeCheckout(dir, ['trial/src/base', 'trial/src/t1']);
    const inner = join(dir, 'inner');
    await mkdir(inner);
    expect(await errorOf(['t1'], inner)).toMatchObject({ code: 'checkout_unusable' });
    expect(await knownCommits(app, ['t1'], inner)).toBeNull();
  });

  it.each([
    ['gone', 'app todo-x: LLMX_APP_TODO_X names a folder that is not there'],
    ['file', 'app todo-x: LLMX_APP_TODO_X names something that is no folder'],
  ])(
    'can not come from a path that is %s, and the path stays out of the message',
    async (name, text) => {
      await writeFile(join(dir, 'file'), '');
      const error = await errorOf(['t1'], join(dir, name));
      expect(error.message).toBe(text);
    },
  );
});
