import { join } from 'node:path';
import { editTree, filesAt, writeOrphan } from '../../git/commit.js';
import { git, type Repository } from '../../git/git.js';
import { treeOf, type AppCommits } from './app-source.js';

export const FLAT_SUBJECT = 'Import application source';

/** Fixed, so that equal content has an equal commit id on every machine. */
const AUTHOR = 'llmx <llmx@localhost> 946684800 +0000';

export const BASE_REF = 'refs/heads/base';

export function taskRef(task: string): string {
  return `refs/heads/trial/${task}`;
}

export interface FlattenInput {
  readonly app: string;
  readonly commits: AppCommits;
  readonly neutralize: readonly string[];
}

/**
 * Turns the commits into orphans without the neutralized files, and points refs at them. A message, a
 * neighbouring commit or a branch name would give the answer away, so none of them is carried on.
 */
export async function flatten(
  source: Repository,
  input: FlattenInput,
): Promise<ReadonlyMap<string, string>> {
  const { base, tasks } = input.commits;
  const wanted: { ref: string; what: string; id: string }[] = Object.entries(tasks).map(
    ([task, id]) => ({ ref: taskRef(task), what: `task ${task}`, id }),
  );
  if (base !== null) wanted.push({ ref: BASE_REF, what: 'the base branch', id: base });
  const refs = new Map<string, string>();
  for (const { ref, what, id } of wanted) {
    const tree = await treeOf(source, { app: input.app, what, id });
    refs.set(ref, await flatCommit(source, await neutralized(source, tree, input.neutralize)));
  }
  const updates = [...refs].map(([ref, id]) => `create ${ref} ${id}\n`).join('');
  await git(source, ['update-ref', '--stdin'], { input: updates });
  return refs;
}

export function flatCommit(repository: Repository, tree: string): Promise<string> {
  const message = `${FLAT_SUBJECT}\n`;
  return writeOrphan(repository, { tree, author: AUTHOR, committer: AUTHOR, message });
}

async function neutralized(
  source: Repository,
  tree: string,
  neutralize: readonly string[],
): Promise<string> {
  const files = await filesAt(source, tree, neutralize);
  if (files.length === 0) return tree;
  return editTree(source, tree, {
    entries: files.map((path) => ({ path, blob: null })),
    indexFile: join(source.gitDir, 'neutralize-index'),
  });
}
