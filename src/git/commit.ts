import { git, gitText, splitNul, tryGit, type Repository } from './git.js';

export interface CommitText {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly committer: string;
  /** Subject and body. */
  readonly message: string;
}

/** Null when there is no such commit. */
export async function readCommit(repository: Repository, name: string): Promise<CommitText | null> {
  const { stdout } = await tryGit(repository, ['cat-file', '--batch'], { input: `${name}\n` });
  const lineEnd = stdout.indexOf('\n');
  const [id = '', type] = stdout.subarray(0, lineEnd).toString('utf8').split(' ');
  if (type !== 'commit') return null;
  const text = stdout.subarray(lineEnd + 1, -1).toString('utf8');
  const split = text.indexOf('\n\n');
  const headers = text.slice(0, split).split('\n');
  const all = (key: string): string[] =>
    headers.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    id,
    tree: all('tree')[0] ?? '',
    parents: all('parent'),
    author: all('author')[0] ?? '',
    committer: all('committer')[0] ?? '',
    message: text.slice(split + 2),
  };
}

/** Writes a commit without parents; equal parts give an equal id. */
export function writeOrphan(
  repository: Repository,
  commit: Pick<CommitText, 'tree' | 'author' | 'committer' | 'message'>,
): Promise<string> {
  const text = `tree ${commit.tree}\nauthor ${commit.author}\ncommitter ${commit.committer}\n\n${commit.message}`;
  return gitText(repository, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: text });
}

/** One index line for `update-index --index-info`; null object: the path is removed. */
export interface IndexEntry {
  readonly path: Buffer;
  readonly blob: { readonly mode: string; readonly id: string } | null;
}

/** Entries as `update-index -z --index-info` reads them, removals first: a folder may have become a file. */
export function indexInfo(entries: readonly IndexEntry[], objectIdLength: number): Buffer {
  const zero = '0'.repeat(objectIdLength);
  const line = ({ path, blob }: IndexEntry): Buffer =>
    Buffer.concat([
      Buffer.from(blob === null ? `0 ${zero}\t` : `${blob.mode} ${blob.id}\t`),
      path,
      Buffer.of(0),
    ]);
  const removed = entries.filter((entry) => entry.blob === null);
  const kept = entries.filter((entry) => entry.blob !== null);
  return Buffer.concat([...removed, ...kept].map(line));
}

/**
 * The tree of a commit with some entries replaced.
 * @param indexFile where git may keep the index of that tree; made anew
 */
export async function editTree(
  repository: Repository,
  tree: string,
  edit: { readonly entries: readonly IndexEntry[]; readonly indexFile: string },
): Promise<string> {
  const env = { GIT_INDEX_FILE: edit.indexFile };
  await git(repository, ['read-tree', tree], { env });
  const input = indexInfo(edit.entries, tree.length);
  await git(repository, ['update-index', '-z', '--index-info'], { env, input });
  return gitText(repository, ['write-tree'], { env });
}

/** Files of a tree at or below these paths. */
export async function filesAt(
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<Buffer[]> {
  const wanted = paths.map((path) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
  const inside = wanted.filter((path) => path !== '' && path !== '.');
  if (inside.length === 0) return [];
  return splitNul(
    await git(repository, [
      'ls-tree',
      '-r',
      '-z',
      '--full-tree',
      '--name-only',
      tree,
      '--',
      ...inside,
    ]),
  );
}
