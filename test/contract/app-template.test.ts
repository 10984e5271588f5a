import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTemplate, type Template } from '../../src/apps/template/build-template.js';
import { bundleApp } from '../../src/apps/template/bundle-app.js';
import { copyTemplate } from '../../src/apps/template/copy-template.js';
import {
  commitOf,
  gitBytes,
  gitOut,
  makeApp,
  TELLTALE,
  templateOf,
  writeFiles,
} from '../fixtures/trial/trial-lab.js';

let root: string;
let app: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'llmx-template-')));
  app = join(root, 'app');
  makeApp(app);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let states = 0;
const newState = (): string => join(root, `state-${String(++states)}`);

const subjects = (dir: string): string[] =>
  gitOut(dir, 'log', '--all', '--format=%D %s').split('\n').sort();

function expectFlat(template: Template): void {
  expect(subjects(template.dir)).toEqual([
    'HEAD -> trial/t1 Import application source',
    'trial/t2 Import application source',
  ]);
  const types = gitOut(
    template.dir,
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objecttype)',
  );
  expect(types.split('\n').filter((type) => type === 'commit')).toHaveLength(2);
  expect(gitOut(template.dir, 'status', '--porcelain', '-uall')).toBe('');
  expect(gitOut(template.dir, 'fsck', '--full', '--unreachable', '--no-progress')).toBe('');
}

describe('a template', () => {
  it('holds one flat commit for each task and nothing else', async () => {
    const template = await templateOf(newState(), app);
    expect(template.built).toBe(true);
    expectFlat(template);
    expect(existsSync(join(template.dir, 'CLAUDE.md'))).toBe(false);
    expect(
      gitBytes(template.dir, 'cat-file', '--batch-all-objects', '--batch').toString(),
    ).not.toContain(TELLTALE);
  });

  it('is made once, and leaves nothing beside it', async () => {
    const state = newState();
    const first = await templateOf(state, app);
    const second = await templateOf(state, app);
    expect(second).toEqual({ ...first, built: false });
    expect(readdirSync(join(state, 'templates'))).toEqual([first.templateId]);
  });

  it('is the same, commit for commit, wherever it is made', async () => {
    const [first, second] = [await templateOf(newState(), app), await templateOf(newState(), app)];
    expect(second.templateId).toBe(first.templateId);
    expect(gitOut(second.dir, 'for-each-ref')).toBe(gitOut(first.dir, 'for-each-ref'));
  });

  it('has another id when anything that goes into it differs', async () => {
    const ids = await Promise.all([
      templateOf(newState(), app),
      templateOf(newState(), app, { setup: 'true' }),
      templateOf(newState(), app, { neutralize: [] }),
    ]);
    expect(new Set(ids.map(({ templateId }) => templateId)).size).toBe(3);
  });

  it('is made by one of several that start at the same time', async () => {
    const state = newState();
    const made = await Promise.all([1, 2, 3].map(() => templateOf(state, app)));
    expect(made.filter(({ built }) => built)).toHaveLength(1);
    expect(readdirSync(join(state, 'templates'))).toEqual([made[0]?.templateId]);
  });

  it.each([
    ['a bare repository', (dir: string) => gitOut(root, 'clone', '-q', '--bare', app, dir)],
    [
      'a shallow clone',
      (dir: string) => {
        gitOut(root, 'clone', '-q', '--depth', '1', '--no-single-branch', `file://${app}`, dir);
        for (const name of ['base', 't1', 't2'])
          gitOut(dir, 'branch', `exp/${name}`, `origin/exp/${name}`);
      },
    ],
    ['a linked work tree', (dir: string) => gitOut(app, 'worktree', 'add', '-q', '--detach', dir)],
    [
      'a clone that borrows objects',
      (dir: string) => {
        gitOut(root, 'clone', '-q', '--shared', app, dir);
        for (const name of ['base', 't1', 't2'])
          gitOut(dir, 'branch', `exp/${name}`, `origin/exp/${name}`);
      },
    ],
  ] as const)('is the same when it is made from %s', async (name, make) => {
    const checkout = join(root, name.replaceAll(' ', '-'));
    make(checkout);
    const template = await templateOf(newState(), checkout);
    expectFlat(template);
    const original = await templateOf(newState(), app);
    expect(gitOut(template.dir, 'for-each-ref')).toBe(gitOut(original.dir, 'for-each-ref'));
  });

  it('keeps links, modes, odd names, submodules and LFS pointers as they are committed', async () => {
    const odd = join(root, 'odd');
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 5\n';
    makeApp(odd, {
      'with space': 'a',
      'new\nline': 'b',
      'ümläut/ö': 'c',
      '-dash': 'd',
      'run.sh': '#!/bin/sh\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'large.bin': pointer,
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'bytes.dat': Buffer.from([0, 255, 254, 10, 13]),
    });
    writeFileSync(Buffer.concat([Buffer.from(`${odd}/bad`), Buffer.of(0xff, 0xfe)]), 'e');
    symlinkSync('run.sh', join(odd, 'link'));
    symlinkSync('/nowhere/at all', join(odd, 'dangling'));
    chmodSync(join(odd, 'run.sh'), 0o755);
    gitOut(odd, 'checkout', '-q', 'exp/t1');
    gitOut(odd, 'add', '-A');
    const sub = '1234567890123456789012345678901234567890';
    gitOut(odd, 'update-index', '--add', '--cacheinfo', `160000,${sub},vendor/sub`);
    writeFiles(odd, { '.gitmodules': '[submodule "s"]\n\tpath = vendor/sub\n\turl = ../sub\n' });
    gitOut(odd, 'add', '.gitmodules');
    gitOut(odd, 'commit', '-qm', 'odd things');
    const { dir } = await templateOf(newState(), odd, { neutralize: [] });
    const copy = join(root, 'odd-copy');
    await copyTemplate(dir, copy);
    const read = (name: string): string => readFileSync(join(copy, name), 'utf8');
    expect([read('with space'), read('new\nline'), read('ümläut/ö'), read('-dash')].join('')).toBe(
      'abcd',
    );
    expect(
      readFileSync(Buffer.concat([Buffer.from(`${copy}/bad`), Buffer.of(0xff, 0xfe)]), 'utf8'),
    ).toBe('e');
    expect(readlinkSync(join(copy, 'link'))).toBe('run.sh');
    expect(readlinkSync(join(copy, 'dangling'))).toBe('/nowhere/at all');
    expect(lstatSync(join(copy, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(read('crlf.txt')).toBe('one\r\ntwo\r\n');
    expect(read('large.bin')).toBe(pointer);
    expect(readFileSync(join(copy, 'bytes.dat'))).toEqual(Buffer.from([0, 255, 254, 10, 13]));
    expect(gitOut(copy, 'ls-files', '-s', 'vendor/sub')).toContain(`160000 ${sub}`);
    expect(gitOut(copy, 'status', '--porcelain', '-uall')).toBe('');
    expect(gitOut(copy, 'rev-parse', 'HEAD^{tree}')).toBe(
      gitOut(odd, 'rev-parse', 'exp/t1^{tree}'),
    );
  });

  it('works for a sha256 repository', async () => {
    const wide = join(root, 'wide');
    gitOut(root, 'init', '-q', '-b', 'main', '--object-format=sha256', wide);
    makeApp(wide);
    const template = await templateOf(newState(), wide);
    expect(gitOut(template.dir, 'rev-parse', 'trial/t1')).toHaveLength(64);
    expectFlat(template);
  });
});

describe('the set-up of a template', () => {
  it('runs once, in the base, and its rewritten lock file is part of every task', async () => {
    const locked = join(root, 'locked');
    makeApp(locked, { 'lock.txt': 'v1\n', 'own.txt': 'base\n' });
    gitOut(locked, 'checkout', '-q', 'exp/t2');
    writeFiles(locked, { 'own.txt': 'of t2\n' });
    gitOut(locked, 'commit', '-qam', 'its own version');
    const runs = join(root, 'setup-runs');
    const template = await templateOf(newState(), locked, {
      setup: `echo once >> ${runs}; echo v2 > lock.txt; echo installed > own.txt; mkdir -p cache deps && echo x > cache/x && echo y > deps/y`,
    });
    expect(readFileSync(runs, 'utf8')).toBe('once\n');
    expectFlat(template);
    const show = (what: string): string => gitOut(template.dir, 'show', what);
    expect([show('trial/t1:lock.txt'), show('trial/t2:lock.txt')]).toEqual(['v2', 'v2']);
    expect([show('trial/t1:own.txt'), show('trial/t2:own.txt')]).toEqual(['installed', 'of t2']);
    for (const name of ['cache/x', 'deps/y'])
      expect(existsSync(join(template.dir, name))).toBe(true);
    expect(gitOut(template.dir, 'ls-files')).not.toContain('deps');
  });

  it('gets no variable that could hold a secret', async () => {
    const state = newState();
    const { dir } = await buildTemplate({
      layout: { templateDir: (id) => join(state, id), logsDir: join(state, 'logs') },
      checkout: app,
      app: {
        key: 'app',
        neutralize: [],
        setup: 'env > cache/env || { mkdir cache; env > cache/env; }',
      },
      commits: { base: null, tasks: { t1: commitOf(app, 'exp/t1') } },
      env: { PATH: process.env['PATH'], HOME: root, API_TOKEN: 'hush', LLMX_APP_APP: '/x' },
    });
    const seen = readFileSync(join(dir, 'cache/env'), 'utf8');
    expect(seen).not.toMatch(/hush|LLMX_APP|GIT_DIR/);
    expect(seen).toContain('CI=true');
  });

  it('leaves no template when it fails, and says where its output is', async () => {
    const state = newState();
    const failing = templateOf(state, app, {
      setup: 'echo resolving; echo no such package >&2; exit 4',
    });
    await expect(failing).rejects.toMatchObject({
      code: 'app_setup_failed',
      // What it printed stays in the log: the message is kept in workflow history.
      message: 'app app: setup failed (exit 4)',
      hint: expect.stringContaining(join(state, 'logs', 'setup-app.txt')),
    });
    expect(readdirSync(join(state, 'templates'))).toEqual([]);
    expect(readFileSync(join(state, 'logs', 'setup-app.txt'), 'utf8')).toContain('resolving');
  });
});

describe('a checkout that can’t be used', () => {
  const build = (checkout: string, t1: string): Promise<Template> => {
    const state = newState();
    return buildTemplate({
      layout: { templateDir: (id) => join(state, id), logsDir: join(state, 'logs') },
      checkout,
      app: { key: 'my-app', neutralize: [], setup: null },
      commits: { base: null, tasks: { t1 } },
    });
  };

  it('is named when it is no repository', async () => {
    await expect(build(join(root, 'nowhere'), 'a'.repeat(40))).rejects.toMatchObject({
      code: 'checkout_unusable',
      message: expect.stringContaining('nowhere is not a git checkout'),
      hint: 'export LLMX_APP_MY_APP=/path/to/the/checkout',
    });
  });

  it('is told apart from one that lacks the commit', async () => {
    await expect(build(app, 'a'.repeat(40))).rejects.toMatchObject({
      code: 'checkout_unusable',
      message: 'app my-app: commit aaaaaaaaaaaa of task t1 is not in the checkout',
    });
  });
});

describe('a bundle', () => {
  it('can be cloned, and holds flat commits only', async () => {
    const file = join(root, 'app.bundle');
    const refs = await bundleApp({
      app: 'app',
      checkout: app,
      commits: { base: commitOf(app, 'exp/base'), tasks: { t1: commitOf(app, 'exp/t1') } },
      neutralize: ['CLAUDE.md'],
      file,
    });
    expect([...refs.keys()].sort()).toEqual(['refs/heads/base', 'refs/heads/trial/t1']);
    const clone = join(root, 'from-bundle');
    gitOut(root, 'clone', '-q', '-b', 'trial/t1', file, clone);
    expect(new Set(gitOut(clone, 'log', '--all', '--format=%s').split('\n'))).toEqual(
      new Set(['Import application source']),
    );
    expect(readdirSync(root).filter((name) => name.startsWith('.source-'))).toEqual([]);
  });
});

describe('a copy of a template', () => {
  it('shares no file with it', async () => {
    const template = await templateOf(newState(), app);
    const copy = join(root, 'copy');
    await copyTemplate(template.dir, copy);
    for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      expect(lstatSync(join(entry.parentPath, entry.name)).nlink).toBe(1);
    }
    expect(gitOut(copy, 'for-each-ref')).toBe(gitOut(template.dir, 'for-each-ref'));
  });
});
