import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  experimentKey,
  findExperiment,
  promptPath,
  solutionPath,
} from '../../../src/storage/experiment-folder.js';
import { edited, RAILS_FILE } from '../../fixtures/experiment-text.js';

let dir: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'llmx-folder-')));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const file = (): string => join(dir, 'experiment.yml');

/** The rejected error as a person meets it. */
async function errorOf(start = dir): Promise<Record<string, unknown>> {
  return findExperiment(start, {}).then(
    () => ({ code: null }),
    (error: unknown) => {
      const { code, message, hint, exitCode } = error as Record<string, unknown>;
      return { code, message, hint, exitCode };
    },
  );
}

describe('finding an experiment', () => {
  it('looks in the folder and in those above it', async () => {
    await writeFile(file(), RAILS_FILE);
    const below = join(dir, 'prompts', 'todo');
    await mkdir(below, { recursive: true });
    for (const start of [dir, below]) {
      const found = await findExperiment(start, {});
      expect(found).toMatchObject({ dir, file: file(), text: RAILS_FILE });
      expect(found.experiment.name).toBe('Rails prompts');
    }
  });

  it('takes the nearest one', async () => {
    await writeFile(file(), RAILS_FILE);
    const inner = join(dir, 'inner');
    await mkdir(inner);
    await writeFile(join(inner, 'experiment.yml'), edited('Rails prompts', 'inner'));
    expect((await findExperiment(inner, {})).experiment.name).toBe('inner');
  });

  it('passes by a link that leads nowhere', async () => {
    await writeFile(file(), RAILS_FILE);
    const inner = join(dir, 'inner');
    await mkdir(inner);
    await symlink('gone.yml', join(inner, 'experiment.yml'));
    expect((await findExperiment(inner, {})).dir).toBe(dir);
  });

  it('says where it looked when there is none', async () => {
    expect(await errorOf()).toEqual({
      code: 'experiment_not_found',
      message: `no experiment.yml found in ${dir} or any parent`,
      hint: 'llmx-client init',
      exitCode: 2,
    });
    expect(await errorOf(join(dir, 'not', 'there'))).toMatchObject({
      code: 'experiment_not_found',
    });
  });
});

describe('reading an experiment', () => {
  const invalid = { code: 'experiment_invalid', exitCode: 2 };

  it('names the file as seen from where the person stands', async () => {
    await writeFile(file(), edited('conditions:', 'conditon:'));
    const below = join(dir, 'prompts');
    await mkdir(below);
    expect(await errorOf(below)).toEqual({
      ...invalid,
      message: [
        '../experiment.yml:6:1: unknown keys in experiment.yml: conditon',
        '  6 | conditon: [base, short]',
        '    | ^^^^^^^^',
      ].join('\n'),
      hint: 'did you mean conditions?',
    });
  });

  it('refuses a file above 1 MiB without reading it', async () => {
    await writeFile(file(), RAILS_FILE);
    await truncate(file(), 5 * 1024 * 1024);
    expect(await errorOf()).toMatchObject({
      ...invalid,
      message: 'experiment.yml: the file has 5.0 MiB; an experiment file has at most 1 MiB',
    });
    await truncate(file(), 300 * 1024 ** 3); // far beyond what could be read
    expect(await errorOf()).toMatchObject(invalid);
  });

  it('refuses a folder and a socket of that name', async () => {
    await mkdir(file());
    expect(await errorOf()).toMatchObject({ ...invalid, message: 'experiment.yml: not a file' });
    await rm(file(), { recursive: true });
    const server = createServer();
    await new Promise<void>((listening) => server.listen(file(), listening));
    try {
      expect(await errorOf()).toMatchObject({ ...invalid, message: 'experiment.yml: not a file' });
    } finally {
      server.close();
    }
  });

  it('points at the first byte that is not UTF-8', async () => {
    await writeFile(
      file(),
      Buffer.concat([Buffer.from('name: é\nquestion: a'), Buffer.from([0xff])]),
    );
    expect(await errorOf()).toEqual({
      ...invalid,
      message: [
        'experiment.yml:2:12: the file is not UTF-8 text',
        '  2 | question: a\ufffd',
        '    |            ^',
      ].join('\n'),
      hint: 'save the file as UTF-8',
    });
  });

  it('refuses an empty file, and UTF-16', async () => {
    await writeFile(file(), '');
    expect(await errorOf()).toMatchObject({
      ...invalid,
      message: 'experiment.yml: experiment.yml needs a name: the file is empty',
    });
    await writeFile(file(), Buffer.from(`\ufeff${RAILS_FILE}`, 'utf16le'));
    expect(await errorOf()).toMatchObject(invalid);
  });

  it('writes nothing, whatever it finds', async () => {
    await writeFile(file(), 'name: [');
    await errorOf();
    expect(await readdir(dir)).toEqual(['experiment.yml']);
  });
});

describe('paths and names of an experiment', () => {
  const experiment = {
    tasks: [
      {
        id: 't1',
        app: 'todo',
        testFile: 't',
        implFiles: [],
        solution: 'fix/t1.patch',
        timeoutMs: 1,
      },
      { id: 't2', app: 'todo', testFile: 't', implFiles: [], solution: null, timeoutMs: 1 },
    ],
  };

  it('are those of the gem', () => {
    expect(promptPath('/e', experiment, 't1', 'base')).toBe('/e/prompts/todo/t1/base.txt');
    expect(solutionPath('/e', experiment, 't1')).toBe('/e/fix/t1.patch');
    expect(solutionPath('/e', experiment, 't2')).toBeNull();
  });

  it('gives the same key through a link, and another on another host or in another folder', async () => {
    await symlink(dir, `${dir}-link`);
    try {
      const key = await experimentKey('Rails prompts', 'host', dir);
      expect(key).toMatch(/^rails-prompts-[0-9a-f]{8}$/);
      expect(await experimentKey('Rails prompts', 'host', `${dir}-link`)).toBe(key);
      expect(await experimentKey('Rails prompts', 'host2', dir)).not.toBe(key);
      expect(await experimentKey('Rails prompts', 'host', tmpdir())).not.toBe(key);
      expect(await experimentKey('实验', 'host', dir)).toMatch(/^x-[0-9a-f]{8}-[0-9a-f]{8}$/);
    } finally {
      await rm(`${dir}-link`);
    }
  });
});
