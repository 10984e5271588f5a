import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editTree, filesAt, indexInfo, readCommit, writeOrphan } from '../../../src/git/commit.js';
import { makeEmptyGitDir } from '../../../src/git/fresh-repository.js';
import { git, GitFailure, gitText, splitNul, type Repository } from '../../../src/git/git.js';

let dir: string;
let repository: Repository;
let tree: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-commit-'));
  repository = { gitDir: join(dir, 'r.git'), workTree: null };
  makeEmptyGitDir(repository.gitDir, { objectIdLength: 40, head: 'refs/heads/x', bare: true });
  const blob = await gitText(repository, ['hash-object', '-w', '--stdin'], { input: 'hi\n' });
  const input = ['a', 'b/c', 'b/d*', 'b/dx'].map((path) => `100644 ${blob}\t${path}\0`).join('');
  const env = { GIT_INDEX_FILE: join(dir, 'index') };
  await git(repository, ['update-index', '-z', '--index-info'], { input, env });
  tree = await gitText(repository, ['write-tree'], { env });
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const AUTHOR = 'Zoë <z@example.test> 946684800 +0130';

describe('an orphan commit', () => {
  it('is read back as it was written', async () => {
    const parts = { tree, author: AUTHOR, committer: AUTHOR, message: 'Söme\n\nbody\n' };
    const id = await writeOrphan(repository, parts);
    expect(await readCommit(repository, id)).toEqual({ ...parts, id, parents: [] });
    expect(await writeOrphan(repository, parts)).toBe(id);
  });

  it('is null when there is none of that name', async () => {
    expect(await readCommit(repository, 'refs/heads/none')).toBeNull();
    expect(await readCommit(repository, tree)).toBeNull();
  });
});

describe('files at a path', () => {
  it.each([
    [['b'], ['b/c', 'b/d*', 'b/dx']],
    [
      ['./b/', 'a'],
      ['a', 'b/c', 'b/d*', 'b/dx'],
    ],
    [['b/d*'], ['b/d*']],
    [['none', '', '.'], []],
  ])('%j are %j, taken literally', async (paths, expected) => {
    expect((await filesAt(repository, tree, paths)).map(String)).toEqual(expected);
  });
});

describe('an edited tree', () => {
  it('lacks what was removed and holds what took its place', async () => {
    const { id } = { id: await gitText(repository, ['rev-parse', `${tree}:a`]) };
    const edited = await editTree(repository, tree, {
      indexFile: join(dir, 'edit'),
      entries: [
        { path: Buffer.from('b'), blob: { mode: '100755', id } },
        ...['b/c', 'b/d*', 'b/dx'].map((path) => ({ path: Buffer.from(path), blob: null })),
      ],
    });
    const names = await git(repository, ['ls-tree', '-r', '-z', '--name-only', edited]);
    expect(splitNul(names).map(String)).toEqual(['a', 'b']);
  });

  it('puts removals before what replaces them', () => {
    const text = indexInfo(
      [
        { path: Buffer.from('x'), blob: { mode: '100644', id: 'f'.repeat(40) } },
        { path: Buffer.from('x/y'), blob: null },
      ],
      40,
    ).toString();
    expect(text.split('\0')).toEqual([
      `0 ${'0'.repeat(40)}\tx/y`,
      `100644 ${'f'.repeat(40)}\tx`,
      '',
    ]);
  });
});

describe('a git command', () => {
  it('that fails names itself and git’s reason, in one line', async () => {
    const failing = git(repository, ['rev-parse', '--verify', 'refs/heads/none']);
    await expect(failing).rejects.toThrow(GitFailure);
    await expect(failing).rejects.toThrow(/^git rev-parse: .+$/);
  });

  it('survives an input that git does not read', async () => {
    const input = Buffer.alloc(5_000_000, 'x');
    await expect(git(repository, ['rev-parse', '--git-dir'], { input })).resolves.toBeDefined();
  });
});
