import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildTemplate } from '../../src/apps/template/build-template.js';
import {
  addScript,
  BUGGY,
  commitOf,
  FIX,
  gitBytes,
  gitOut,
  makeApp,
  TELLTALE,
  TrialLab,
  templateOf,
  writeFiles,
  type TrialRecord,
} from '../fixtures/trial/trial-lab.js';

const ISOLATE = ['isolate'] as const;
const fixIt = `cat > src/add.sh <<'EOF'\n${addScript(FIX)}EOF\n`;

let lab: TrialLab;
beforeAll(async () => {
  lab = await TrialLab.make();
});
afterAll(() => {
  lab.remove();
});

/** Content of every object of a repository, reachable or not. */
function allObjects(dir: string): string {
  return gitBytes(dir, 'cat-file', '--batch-all-objects', '--batch').toString('latin1');
}

/** Bytes of every file below `.git` that is not an object. */
function allGitFiles(dir: string): string {
  const git = join(dir, '.git');
  return readdirSync(git, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('objects'))
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n');
}

function expectNothingLeaks({ spec, result }: TrialRecord): void {
  expect(result).toMatchObject({
    aborted: null,
    isolation: { branches: ['trial/t1'], commits: 1, clean: true },
  });
  for (const dir of [spec.checkoutDir, spec.gradeDir]) {
    const objects = allObjects(dir);
    expect(objects).toContain(BUGGY);
    for (const word of [FIX, TELLTALE, 'exp/', '# t2', 'read the manual']) {
      expect(objects).not.toContain(word);
    }
    for (const word of [TELLTALE, 'exp/', 't2', 'stash', 'origin']) {
      expect(allGitFiles(dir)).not.toContain(word);
    }
    expect(gitOut(dir, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/trial/t1');
    expect(gitOut(dir, 'log', '--all', '--reflog', '--format=%s')).toBe(
      'Import application source',
    );
    expect(gitOut(dir, 'fsck', '--full', '--unreachable', '--no-progress')).toBe('');
    expect(gitOut(dir, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    expect(gitOut(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trial/t1');
    expect(gitOut(dir, 'remote')).toBe('');
    expect(existsSync(join(dir, 'CLAUDE.md'))).toBe(false);
  }
}

/** A checkout with all that must go: branches, tags, remotes, stashes, reflogs, hooks, odd configuration. */
function clutter(dir: string): void {
  const parent = gitOut(dir, 'rev-parse', 'trial/t1');
  const tree = gitOut(dir, 'rev-parse', 'trial/t1^{tree}');
  writeFiles(dir, { 'src/add.sh': addScript(FIX) });
  gitOut(dir, 'stash', 'push', '-q', '-m', TELLTALE);
  const extra = gitOut(dir, 'commit-tree', tree, '-p', parent, '-m', TELLTALE);
  gitOut(dir, 'branch', 'exp/extra', extra);
  gitOut(dir, 'tag', '-a', 'v9', '-m', TELLTALE, extra);
  gitOut(dir, 'update-ref', 'refs/remotes/origin/main', extra);
  gitOut(dir, 'notes', 'add', '-m', TELLTALE, parent);
  gitOut(dir, 'remote', 'add', 'origin', 'https://example.test/exp/app.git');
  gitOut(dir, 'config', 'core.fsmonitor', `touch ${dir}/../ran`);
  gitOut(dir, 'config', 'core.hooksPath', `${dir}/../hooks`);
  mkdirSync(join(dir, '../hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
    for (const folder of [join(dir, '../hooks'), join(dir, '.git/hooks')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, hook), `#!/bin/sh\ntouch ${dir}/../ran\n`);
      chmodSync(join(folder, hook), 0o755);
    }
  }
}

describe('isolation', () => {
  it('leaves nothing of the other task or of the past', async () => {
    expectNothingLeaks(await lab.trial({ phases: ISOLATE }));
  });

  it('leaves nothing of a cluttered repository, and runs none of its hooks', async () => {
    const trial = await lab.trial({ phases: ISOLATE, tamper: clutter });
    expectNothingLeaks(trial);
    expect(existsSync(join(trial.spec.checkoutDir, '../ran'))).toBe(false);
  });

  it('checks the branch out when another one is', async () => {
    const { spec, result } = await lab.trial({ phases: ISOLATE, branch: 'trial/t2' });
    expect(result).toMatchObject({ aborted: null, isolation: { branches: ['trial/t2'] } });
    expect(readFileSync(join(spec.checkoutDir, 'src/add.sh'), 'utf8')).toContain('# t2');
    expect(allObjects(spec.checkoutDir)).not.toContain('# t1');
  });

  it('amends neutralized files out of the one commit, folders too', async () => {
    const { spec, result } = await lab.trial({
      phases: ISOLATE,
      neutralize: ['README.md', 'src/', 'no/such', ''],
    });
    expect(result).toMatchObject({ aborted: null, isolation: { commits: 1, clean: true } });
    expect(gitOut(spec.checkoutDir, 'ls-files').split('\n')).toEqual([
      '.gitignore',
      'test/add.test.sh',
    ]);
    expect(allObjects(spec.checkoutDir)).not.toContain('adds numbers');
    expect(existsSync(join(spec.checkoutDir, 'src'))).toBe(false);
    expect(gitOut(spec.gradeDir, 'rev-parse', 'HEAD')).toBe(
      gitOut(spec.checkoutDir, 'rev-parse', 'HEAD'),
    );
  });

  it('isolates a checkout for grading that is already there in the same way', async () => {
    const trial = await lab.trial({
      phases: ISOLATE,
      tamper: (dir) => {
        gitOut(dir, 'clone', '-q', lab.template.dir, '../grade');
        gitOut(join(dir, '../grade'), 'fetch', '-q', 'origin', 'trial/t1:trial/t1', '-u');
        gitOut(join(dir, '../grade'), 'checkout', '-q', 'trial/t1');
      },
    });
    expectNothingLeaks(trial);
  });

  it('refuses a branch with a past', async () => {
    const { result } = await lab.trial({
      tamper: (dir) => {
        gitOut(dir, 'commit', '-q', '--allow-empty', '-m', 'second');
      },
    });
    expect(result).toMatchObject({
      aborted: 'isolation_failed',
      abortDetail: expect.stringContaining('has a history'),
      before: null,
    });
  });

  it('refuses a folder that is no repository', async () => {
    const { result } = await lab.trial({
      tamper: (dir) => {
        rmSync(join(dir, '.git'), { recursive: true });
      },
    });
    expect(result).toMatchObject({ aborted: 'isolation_failed', isolation: null });
  });

  it('works on what a set-up left in the checkout, and keeps it out of the diff', async () => {
    const template = await templateOf(join(lab.root, 'with-setup'), lab.app, {
      setup: `mkdir -p deps/a && echo d > deps/a/d && echo 'lock v2' > 'lock file.txt'`,
    });
    const { result, spec } = await lab.trial({
      templateDir: template.dir,
      run: `echo changed > deps/a/d; test -e 'lock file.txt' && ${fixIt}`,
    });
    expect(result).toMatchObject({
      aborted: null,
      changes: { changedFiles: ['src/add.sh'], untrackedFiles: [] },
      grade: 'passed',
    });
    expect(readFileSync(join(spec.gradeDir, 'deps/a/d'), 'utf8')).toBe('d\n');
  });

  it('works in a sha256 repository', async () => {
    const wide = join(lab.root, 'wide');
    gitOut(lab.root, 'init', '-q', '-b', 'main', '--object-format=sha256', wide);
    makeApp(wide);
    const template = await templateOf(join(lab.root, 'wide-state'), wide);
    const { result } = await lab.trial({ templateDir: template.dir, run: fixIt });
    expect(result).toMatchObject({
      aborted: null,
      isolation: { commits: 1 },
      changes: { changedFiles: ['src/add.sh'] },
      grade: 'passed',
    });
  });

  it('keeps ignored files, and copies them for grading', async () => {
    const { spec } = await lab.trial({
      phases: ISOLATE,
      branch: 'trial/t2',
      tamper: (dir) => {
        writeFiles(dir, { 'cache/deps': 'installed' });
      },
    });
    for (const dir of [spec.checkoutDir, spec.gradeDir]) {
      expect(readFileSync(join(dir, 'cache/deps'), 'utf8')).toBe('installed');
    }
  });

  it('lets the agent commit without a name of its own', async () => {
    const { result } = await lab.trial({ run: 'git commit -q --allow-empty -m x' });
    expect(result.agent).toMatchObject({ exit: 0 });
  });
});

describe('the source checkout', () => {
  it('runs no hook, filter or monitor, and gives away nothing untracked', async () => {
    const app = join(lab.root, 'trapped');
    gitOut(lab.root, 'clone', '-q', lab.app, app);
    for (const branch of ['exp/base', 'exp/t1', 'exp/t2']) {
      gitOut(app, 'branch', '-q', branch, `origin/${branch}`);
    }
    writeFiles(app, { '.env': 'SECRET=1\n', 'untracked.txt': 'SECRET=2\n' });
    clutterHooks(app);
    const template = await templateOf(join(lab.root, 'trapped-state'), app);
    expect(existsSync(join(lab.root, 'hook-ran'))).toBe(false);
    expect(allObjects(template.dir)).not.toContain('SECRET');
    expect(readdirSync(template.dir).sort()).toEqual([
      '.git',
      '.gitignore',
      'README.md',
      'src',
      'test',
    ]);
    expect(readdirSync(join(template.dir, '.git')).sort()).toEqual(
      ['HEAD', 'config', 'index', 'info', 'objects', 'refs'].sort(),
    );
  });

  it('is not written to', async () => {
    const before = gitOut(lab.app, 'for-each-ref') + allGitFiles(lab.app);
    await buildTemplate({
      layout: {
        templateDir: (id) => join(lab.root, 'untouched', id),
        logsDir: join(lab.root, 'logs'),
      },
      checkout: lab.app,
      app: { key: 'other', neutralize: [], setup: 'touch cache-me; echo done' },
      commits: { base: null, tasks: { t1: commitOf(lab.app, 'exp/t1') } },
    });
    expect(gitOut(lab.app, 'for-each-ref') + allGitFiles(lab.app)).toBe(before);
  });
});

function clutterHooks(app: string): void {
  const touch = `touch ${join(lab.root, 'hook-ran')}`;
  for (const hook of [
    'post-checkout',
    'pre-commit',
    'reference-transaction',
    'post-index-change',
  ]) {
    writeFileSync(join(app, '.git/hooks', hook), `#!/bin/sh\n${touch}\n`);
    chmodSync(join(app, '.git/hooks', hook), 0o755);
  }
  writeFileSync(join(app, '.git/info/attributes'), '* filter=trap\n');
  gitOut(app, 'config', 'filter.trap.smudge', `${touch}; cat`);
  gitOut(app, 'config', 'core.fsmonitor', touch);
  gitOut(app, 'config', 'uploadpack.packObjectsHook', `${touch}; exec`);
}
