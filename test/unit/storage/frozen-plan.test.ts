import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  readExperimentEntry,
  writeExperimentEntry,
} from '../../../src/storage/experiment-entry.js';
import { freezePlan, loadFrozenPlan } from '../../../src/storage/frozen-plan.js';
import { stateLayout, type StateLayout } from '../../../src/storage/state-layout.js';
import { edited, RAILS_FILE } from '../../fixtures/experiment-text.js';
import { addBranch, git, makeCheckout } from '../../fixtures/git-checkout.js';

const key = 'rails-prompts-00000000';
let root: string;
let folder: string;
let state: StateLayout;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'llmx-frozen-'));
  folder = join(root, 'experiment');
  state = stateLayout(join(root, 'state'));
  await write(
    'experiment.yml',
    edited('id: fix-sort', 'id: fix-sort\n    solution: fix/sort.patch'),
  );
  await write('prompts/todo/fix-total/base.txt', 'fix it\n');
  await write('fix/sort.patch', 'patch\n');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

const freeze = (env: Record<string, string> = {}): ReturnType<typeof freezePlan> =>
  freezePlan({ state, key, folder, env });

/** Every folder and file below, with its permissions. */
async function modesBelow(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir, { recursive: true });
  const modes = names.map(async (name) => {
    const info = await stat(join(dir, name));
    return `${info.isDirectory() ? 'dir' : 'file'} ${(info.mode & 0o777).toString(8)}`;
  });
  return [...new Set(await Promise.all(modes))].sort();
}

async function withCheckout(): Promise<string> {
  const checkout = join(root, 'checkout');
  await mkdir(checkout);
  makeCheckout(checkout, ['trial-src/base', 'trial-src/fix-total', 'trial-src/fix-sort-slow']);
  await write('.apps.local', 'LLMX_APP_TODO=../checkout\n');
  return checkout;
}

describe('freezing a plan', () => {
  it('copies what trials read, and nothing else', async () => {
    await write('secret.txt', 'not for trials');
    const { frozenId, changes } = await freeze();
    expect(changes).toEqual([]);
    expect(frozenId).toMatch(/^[0-9a-f]{32}$/);
    const dir = state.frozenDir(key, frozenId);
    const plan = await loadFrozenPlan(state, key, frozenId);
    expect(plan.dir).toBe(dir);
    expect(Object.keys(plan.manifest.files).sort()).toEqual([
      'experiment.yml',
      'fix/sort.patch',
      'prompts/todo/fix-total/base.txt',
    ]);
    expect(await readFile(plan.promptFile('fix-total', 'base'), 'utf8')).toBe('fix it\n');
    expect(await readFile(plan.solutionFile('fix-sort') ?? '', 'utf8')).toBe('patch\n');
    expect(plan.solutionFile('fix-total')).toBeNull();
    expect(plan.experiment.name).toBe('Rails prompts');
  });

  it('is for this user only', async () => {
    await freeze();
    expect(await modesBelow(state.root)).toEqual(['dir 700', 'file 600']);
  });

  it('gives the same id for the same content, and no second copy', async () => {
    const first = await freeze();
    const second = await freeze();
    expect(second).toEqual({ frozenId: first.frozenId, changes: [] });
    expect(await readdir(dirname(state.frozenDir(key, first.frozenId)))).toEqual([first.frozenId]);
  });

  it('gives the same id to starts at the same moment', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => freeze()));
    expect(new Set(results.map((result) => result.frozenId)).size).toBe(1);
    const { frozenId } = results[0] ?? { frozenId: '' };
    expect(await readdir(dirname(state.frozenDir(key, frozenId)))).toEqual([frozenId]);
    expect((await loadFrozenPlan(state, key, frozenId)).experiment.tasks).toHaveLength(2);
  });

  it('keeps the old plan when something changes, and says what did', async () => {
    const first = await freeze();
    await write('prompts/todo/fix-total/base.txt', 'fix it well\n');
    await write('prompts/todo/fix-sort/short.txt', 'sort\n');
    await rm(join(folder, 'fix/sort.patch'));
    await write('experiment.yml', `${await readFile(join(folder, 'experiment.yml'), 'utf8')}\n`);
    const second = await freeze({ LLMX_MEMORY: '8g' });
    expect(second.changes).toEqual([
      'experiment.yml changed',
      'solution fix/sort.patch removed',
      'prompt todo/fix-sort/short added',
      'prompt todo/fix-total/base changed',
      'environment variable LLMX_MEMORY added',
    ]);
    const old = await loadFrozenPlan(state, key, first.frozenId);
    expect(await readFile(old.promptFile('fix-total', 'base'), 'utf8')).toBe('fix it\n');
  });

  it('records the commits of every app, and says when one moves', async () => {
    const checkout = await withCheckout();
    const { frozenId } = await freeze();
    const { manifest } = await loadFrozenPlan(state, key, frozenId);
    expect(manifest.commits).toEqual({
      todo: {
        base: git(checkout, 'rev-parse', 'trial-src/base'),
        tasks: {
          'fix-total': git(checkout, 'rev-parse', 'trial-src/fix-total'),
          'fix-sort': git(checkout, 'rev-parse', 'trial-src/fix-sort-slow'),
        },
      },
    });
    const moved = addBranch(checkout, 'trial-src/fix-total');
    git(checkout, 'branch', '-D', 'trial-src/fix-sort-slow');
    expect((await freeze()).changes).toEqual([
      `app todo: task fix-total moved to commit ${moved.slice(0, 7)}`,
      'app todo: task fix-sort has no branch any more',
    ]);
  });

  it('leaves a checkout that is not set to the preflight', async () => {
    const { frozenId } = await freeze();
    expect((await loadFrozenPlan(state, key, frozenId)).manifest.commits).toEqual({ todo: null });
    await withCheckout();
    expect((await freeze()).changes).toEqual(['app todo: its checkout is there now']);
  });

  it('keeps the defaults of the environment that started it', async () => {
    const { frozenId } = await freeze({ LLMX_MEMORY: '8g', LLMX_CPUS: '', OTHER: 'x' });
    const { experiment, manifest } = await loadFrozenPlan(state, key, frozenId);
    expect(manifest.defaults).toEqual({ LLMX_MEMORY: '8g' });
    expect(experiment.trial).toMatchObject({ memory: { text: '8g' }, cpus: '4' });
  });

  it('keeps files byte for byte, also where a prompt is no text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    await write('experiment.yml', `\ufeff${RAILS_FILE}`);
    await write('prompts/todo/fix-total/base.txt', bytes);
    const plan = await loadFrozenPlan(state, key, (await freeze()).frozenId);
    expect(await readFile(plan.promptFile('fix-total', 'base'))).toEqual(bytes);
    const copy = await readFile(join(plan.dir, 'files', 'experiment.yml'), 'utf8');
    expect(copy).toBe(`\ufeff${RAILS_FILE}`);
  });

  it('takes a folder in a prompt’s place for a missing prompt', async () => {
    await mkdir(join(folder, 'prompts/todo/fix-sort/base.txt'), { recursive: true });
    const { frozenId } = await freeze();
    const { manifest } = await loadFrozenPlan(state, key, frozenId);
    expect(Object.keys(manifest.files)).not.toContain('prompts/todo/fix-sort/base.txt');
  });

  it('writes nothing for a file with faults', async () => {
    await write('experiment.yml', 'nam: x\n');
    await expect(freeze()).rejects.toMatchObject({ code: 'experiment_invalid' });
    await expect(readdir(state.root)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('repairs a copy that was damaged', async () => {
    const { frozenId } = await freeze();
    const plan = await loadFrozenPlan(state, key, frozenId);
    await writeFile(plan.promptFile('fix-total', 'base'), 'cheat\n');
    await expect(loadFrozenPlan(state, key, frozenId)).rejects.toMatchObject({
      code: 'frozen_plan_damaged',
      message: `the frozen plan ${frozenId} of ${key} was changed on disk: prompts/todo/fix-total/base.txt`,
    });
    expect((await freeze()).frozenId).toBe(frozenId);
    expect((await loadFrozenPlan(state, key, frozenId)).manifest.frozenId).toBe(frozenId);
  });

  it('says which state folder can not be written', async () => {
    await writeFile(state.root, 'a file');
    await expect(freeze()).rejects.toMatchObject({ code: 'state_folder_unusable', exitCode: 2 });
  });
});

describe('loading a frozen plan', () => {
  it.each([
    ['an id that was never frozen', key, 'f'.repeat(32)],
    ['an id that is a path', key, '../../../etc'],
    ['an experiment that is not here', 'other-00000000', 'f'.repeat(32)],
  ])('refuses %s', async (_name, wanted, frozenId) => {
    await expect(loadFrozenPlan(state, wanted, frozenId)).rejects.toMatchObject({
      code: 'frozen_plan_missing',
      exitCode: 6,
    });
  });

  it('refuses a key that is a path', async () => {
    await expect(loadFrozenPlan(state, '../x', 'f'.repeat(32))).rejects.toMatchObject({
      code: 'experiment_unknown_here',
    });
  });

  it.each(['{', '[]', '{"schemaVersion":1}', 'null'])('refuses a manifest of %j', async (text) => {
    const { frozenId } = await freeze();
    await writeFile(join(state.frozenDir(key, frozenId), 'manifest.json'), text);
    await expect(loadFrozenPlan(state, key, frozenId)).rejects.toMatchObject({ exitCode: 6 });
    expect((await freeze()).frozenId).toBe(frozenId);
  });

  it('survives a torn note of what was frozen last', async () => {
    const { frozenId } = await freeze();
    await writeFile(state.latestFrozenFile(key), '{"frozen');
    expect(await freeze()).toEqual({ frozenId, changes: [] });
  });
});

describe('the entry of an experiment', () => {
  const entry = { schemaVersion: 1, folder: '/e', checkouts: { todo: '/c' } } as const;

  it('is read as it was written, for this user only', async () => {
    await writeExperimentEntry(state, key, entry);
    expect(await readExperimentEntry(state, key)).toEqual(entry);
    expect(await modesBelow(state.root)).toEqual(['dir 700', 'file 600']);
  });

  it.each([null, '{', '{}', '{"schemaVersion":1,"folder":"/e","checkouts":{"a":1}}'])(
    'is unknown when the file holds %j',
    async (text) => {
      if (text !== null) {
        await writeExperimentEntry(state, key, entry);
        await chmod(state.experimentEntry(key), 0o600);
        await writeFile(state.experimentEntry(key), text);
      }
      await expect(readExperimentEntry(state, key)).rejects.toMatchObject({
        code: 'experiment_unknown_here',
        exitCode: 6,
      });
    },
  );

  it('never leaves its folder', async () => {
    await expect(writeExperimentEntry(state, '../../x', entry)).rejects.toMatchObject({
      code: 'experiment_unknown_here',
    });
  });
});
