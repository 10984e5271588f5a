import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordFile } from '../../git/blobs.js';
import { editTree, type IndexEntry } from '../../git/commit.js';
import { git, gitText, ordinary, splitNul, type Repository } from '../../git/git.js';
import { workTreeChanges } from '../../git/work-tree-changes.js';
import { flatCommit } from './flatten.js';

export interface SettledSetup {
  /** Ref name to amended commit id. */
  readonly refs: ReadonlyMap<string, string>;
  /** Lines for `info/exclude`: what the set-up left in the checkout without being ignored. */
  readonly exclude: readonly string[];
}

/**
 * Makes what the set-up left behind part of the template, so that a trial starts with a clean tree: a tracked
 * file it rewrote (a lock file) is amended into every task that had the same version of it, and new files
 * that the app does not ignore are excluded.
 */
export async function settleSetup(
  repoDir: string,
  scratchDir: string,
  input: { readonly startId: string; readonly refs: ReadonlyMap<string, string> },
): Promise<SettledSetup> {
  const repository = ordinary(repoDir);
  mkdirSync(scratchDir, { recursive: true });
  const indexFile = join(repository.gitDir, 'index');
  const changes = await workTreeChanges({ repository, indexFile, scratchDir });
  const rewritten = changes
    .filter(({ kind }) => kind !== 'new')
    .map(({ path, kind }) => entryOf(repoDir, path, kind === 'deleted', input.startId.length));
  const refs = new Map<string, string>();
  for (const [ref, id] of input.refs) {
    refs.set(ref, await amended(repository, scratchDir, { id, startId: input.startId, rewritten }));
  }
  return { refs, exclude: await leftovers(repository) };
}

function entryOf(
  repoDir: string,
  path: Buffer,
  isDeleted: boolean,
  objectIdLength: number,
): IndexEntry {
  if (isDeleted) return { path, blob: null };
  const store = { objectsDir: join(repoDir, '.git/objects'), objectIdLength };
  const recorded = recordFile(Buffer.concat([Buffer.from(`${repoDir}/`), path]), store);
  return { path, blob: recorded.kind === 'blob' ? recorded : null };
}

interface Amendment {
  readonly id: string;
  readonly startId: string;
  readonly rewritten: readonly IndexEntry[];
}

async function amended(
  repository: Repository,
  scratchDir: string,
  { id, startId, rewritten }: Amendment,
): Promise<string> {
  if (rewritten.length === 0) return id;
  const [own, start] = await Promise.all([listing(repository, id), listing(repository, startId)]);
  // A task with a version of its own keeps it: overwriting it could undo the planted bug.
  const entries = rewritten.filter(({ path }) => {
    const key = path.toString('latin1');
    return own.get(key) === start.get(key);
  });
  if (entries.length === 0) return id;
  const tree = await gitText(repository, ['rev-parse', `${id}^{tree}`]);
  const edit = { entries, indexFile: join(scratchDir, 'amend-index') };
  return flatCommit(repository, await editTree(repository, tree, edit));
}

/** Path (bytes as latin1) to `mode type id`. */
async function listing(
  repository: Repository,
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = splitNul(await git(repository, ['ls-tree', '-r', '-z', '--full-tree', commit]));
  return new Map(
    rows.map((row) => {
      const tab = row.indexOf('\t');
      return [row.toString('latin1', tab + 1), row.toString('latin1', 0, tab)] as const;
    }),
  );
}

/** Folders are listed as one line, so that a whole dependency folder is one. */
async function leftovers(repository: Repository): Promise<string[]> {
  const args = [
    'ls-files',
    '-z',
    '--others',
    '--exclude-standard',
    '--directory',
    '--no-empty-directory',
  ];
  return splitNul(await git(repository, args)).map((path) => excludeLine(path.toString('utf8')));
}

function excludeLine(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
