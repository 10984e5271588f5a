import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { git, splitNul, tryGit, type GitOptions, type Repository } from './git.js';
import { makeEmptyGitDir } from './fresh-repository.js';

export interface WorkTreeChange {
  /** Relative to the work tree, as bytes. */
  readonly path: Buffer;
  readonly kind: 'modified' | 'deleted' | 'new';
}

export interface ChangesQuery {
  /** Repository that is trusted, with the work tree to look at. */
  readonly repository: Repository;
  /** Index to compare with; git may write to it. */
  readonly indexFile: string;
  /** Folder for a moment's files. */
  readonly scratchDir: string;
}

/** A file that is no file (a named pipe called .gitignore) can hold git up for ever. */
const HELD_UP_MS = 5_000;

/** What differs between index and work tree, new files included, ignored ones not. */
export async function workTreeChanges(query: ChangesQuery): Promise<WorkTreeChange[]> {
  const rows = splitNul(await statusOf(query));
  const changes: WorkTreeChange[] = [];
  for (const row of rows) {
    const path = row.subarray(3);
    if (row[0] !== QUESTION) {
      changes.push({ path, kind: row[1] === LETTER_D ? 'deleted' : 'modified' });
    } else if (path.at(-1) === SLASH) {
      changes.push(...(await filesOfNestedRepository(query, path)));
    } else {
      changes.push({ path, kind: 'new' });
    }
  }
  return changes.filter(({ path }) => !hasGitComponent(path));
}

const QUESTION = 0x3f;
const LETTER_D = 0x44;
const SLASH = 0x2f;

async function statusOf(query: ChangesQuery): Promise<Buffer> {
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    // Looking into a submodule would run git there, with a config the agent may have written.
    '--ignore-submodules=all',
  ];
  const options: GitOptions = { env: { GIT_INDEX_FILE: query.indexFile } };
  const first = await tryGit(query.repository, args, { ...options, timeoutMs: HELD_UP_MS });
  if (first.exit === 0) return first.stdout;
  rmSync(`${query.indexFile}.lock`, { force: true });
  if (query.repository.workTree !== null) removeFakeGitFiles(query.repository.workTree);
  return git(query.repository, args, options);
}

/** Removes what has the name of a file that git reads and is no regular file. */
function removeFakeGitFiles(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (/^\.git(ignore|attributes|modules)$/.test(entry.name) && !entry.isFile()) {
      rmSync(path, { recursive: true, force: true });
    } else if (entry.isDirectory() && entry.name !== '.git') {
      try {
        removeFakeGitFiles(path);
      } catch {
        // A folder that can't be read: git does not read it either.
      }
    }
  }
}

/** A repository inside the checkout (a scaffolding tool made it) counts by its files, not as a reference. */
async function filesOfNestedRepository(
  query: ChangesQuery,
  folder: Buffer,
): Promise<WorkTreeChange[]> {
  const workTree = query.repository.workTree;
  const name = folder.toString('utf8');
  // A folder name that is no text can't be passed on; its files stay out.
  if (workTree === null || !Buffer.from(name).equals(folder)) return [];
  const gitDir = join(query.scratchDir, 'empty.git');
  makeEmptyGitDir(gitDir, { objectIdLength: 40, head: 'refs/heads/none' });
  const nested = { gitDir, workTree: join(workTree, name) };
  const listed = await tryGit(nested, ['ls-files', '-z', '--others', '--exclude-standard'], {
    timeoutMs: HELD_UP_MS,
  });
  const changes: WorkTreeChange[] = [];
  for (const inner of splitNul(listed.stdout)) {
    const path = Buffer.concat([folder, inner]);
    if (inner.at(-1) === SLASH) changes.push(...(await filesOfNestedRepository(query, path)));
    else changes.push({ path, kind: 'new' });
  }
  return changes;
}

/** Git refuses to hold such a path, so a patch can't carry it. */
function hasGitComponent(path: Buffer): boolean {
  return path
    .toString('latin1')
    .split('/')
    .some((part) => part.toLowerCase() === '.git');
}

export function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false; // not there
  }
}
