import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';
import { recordFile } from '../../git/blobs.js';
import { indexInfo, type IndexEntry } from '../../git/commit.js';
import { git, gitText, ordinary, splitNul, tryGit, type Repository } from '../../git/git.js';
import { isFolder, workTreeChanges, type WorkTreeChange } from '../../git/work-tree-changes.js';
import { describeChanges } from './changes.js';
import { openFresh } from './fresh-file.js';
import { isSealIntact } from './grade-seal.js';
import { outFile, type Phase, type PhaseContext } from './state.js';

/**
 * Writes down what the agent changed. The agent's repository is not asked: it may have committed, rewritten
 * history, planted config or deleted it. The repository of the untouched copy looks at the agent's files,
 * through an index and an object store of its own, and compares with the commit the agent was given.
 */
export const collect: Phase = async ({ spec, seal }: PhaseContext) => {
  if (seal !== null && !isSealIntact(spec, seal)) {
    const detail = 'the untouched copy was changed while the agent ran';
    return { found: {}, abort: { reason: 'sandbox_failed', detail } };
  }
  if (!isFolder(spec.checkoutDir)) makeEmptyFolder(spec.checkoutDir);
  // What the agent did to the files in it counts; a folder that it shut does not hide them.
  chmodSync(spec.checkoutDir, 0o700);
  const scratchDir = mkdtempSync(join(spec.outDir, '.collect-'));
  try {
    return { found: { changes: await collectInto(spec, scratchDir) } };
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
};

/** Lists by path, as bytes. */
export interface ChangedPaths {
  readonly changed: readonly Buffer[];
  readonly untracked: readonly Buffer[];
}

async function collectInto(
  spec: ProgramSpec,
  scratchDir: string,
): Promise<ReturnType<typeof describeChanges>> {
  const grading = ordinary(spec.gradeDir);
  const baseId = await gitText(grading, ['rev-parse', '--verify', `refs/heads/${spec.branch}`]);
  const watching: Repository = { gitDir: grading.gitDir, workTree: spec.checkoutDir };
  const indexFile = copyIndex(grading, scratchDir);
  const listed = await workTreeChanges({ repository: watching, indexFile, scratchDir });
  const changes = await withoutIgnored(grading, listed);
  const snapshot = await takeSnapshot(spec, changes, {
    indexFile,
    objectsDir: linkedObjects(grading, scratchDir),
    objectIdLength: baseId.length,
  });
  const options = { env: snapshot.env };
  const [names] = await Promise.all([
    git(
      grading,
      ['diff-index', '--cached', '--no-renames', '--name-status', '-z', baseId],
      options,
    ),
    writePatch(spec, grading, baseId, options),
  ]);
  return describeChanges(spec, withUnrecorded(parseNameStatus(names), snapshot.unrecorded));
}

interface SnapshotPlace {
  readonly indexFile: string;
  readonly objectsDir: string;
  readonly objectIdLength: number;
}

interface Snapshot {
  readonly env: Readonly<Record<string, string>>;
  readonly unrecorded: readonly WorkTreeChange[];
}

async function takeSnapshot(
  spec: ProgramSpec,
  changes: readonly WorkTreeChange[],
  place: SnapshotPlace,
): Promise<Snapshot> {
  const entries: IndexEntry[] = [];
  const unrecorded: WorkTreeChange[] = [];
  const root = Buffer.from(`${spec.checkoutDir}/`);
  for (const change of changes) {
    const { path, kind } = change;
    const recorded =
      kind === 'deleted'
        ? ({ kind: 'absent' } as const)
        : recordFile(Buffer.concat([root, path]), place);
    if (recorded.kind === 'unrecorded') unrecorded.push(change);
    else if (recorded.kind === 'blob') entries.push({ path, blob: recorded });
    else if (kind !== 'new') entries.push({ path, blob: null });
  }
  const env = { GIT_INDEX_FILE: place.indexFile, GIT_OBJECT_DIRECTORY: place.objectsDir };
  if (entries.length > 0) {
    const input = indexInfo(entries, place.objectIdLength);
    const bare = { gitDir: `${spec.gradeDir}/.git`, workTree: spec.gradeDir };
    await git(bare, ['update-index', '-z', '--index-info'], { env, input });
  }
  return { env, unrecorded };
}

async function writePatch(
  spec: ProgramSpec,
  grading: Repository,
  baseId: string,
  options: { readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const fd = openFresh(outFile(spec, 'diff'));
  const args = ['diff-index', '--cached', '-p', '--binary', '--full-index', '--no-renames'];
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'];
  try {
    await git(grading, [...args, ...plain, baseId], { ...options, stdoutFd: fd });
  } finally {
    closeSync(fd);
  }
}

/**
 * A changed .gitignore may no longer cover what was ignored at the start (dependencies, a database): those
 * are not the agent's work, so the rules of the original commit are asked as well.
 */
async function withoutIgnored(
  grading: Repository,
  changes: readonly WorkTreeChange[],
): Promise<readonly WorkTreeChange[]> {
  if (!changes.some(({ path }) => /(^|\/)\.gitignore$/.test(path.toString('latin1'))))
    return changes;
  const input = Buffer.concat(
    changes.filter(({ kind }) => kind === 'new').flatMap(({ path }) => [path, Buffer.of(0)]),
  );
  // The one command that refuses to take paths literally.
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const args = ['check-ignore', '-z', '--stdin', '--no-index'];
  const asked = await tryGit(grading, args, { input, env });
  const ignored = new Set(splitNul(asked.stdout).map((path) => path.toString('latin1')));
  return changes.filter(
    ({ path, kind }) => kind !== 'new' || !ignored.has(path.toString('latin1')),
  );
}

/** The index of the untouched copy knows the agent's files as they were when it started. */
function copyIndex(grading: Repository, scratchDir: string): string {
  const from = join(grading.gitDir, 'index');
  const to = join(scratchDir, 'index');
  copyFileSync(from, to);
  // Git trusts files older than the index; a copy must not look newer than its original.
  const { mtimeMs } = statSync(from);
  utimesSync(to, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  return to;
}

/** An object store that reads the repository's objects and leaves them alone. */
function linkedObjects(repository: Repository, scratchDir: string): string {
  const objectsDir = join(scratchDir, 'objects');
  mkdirSync(join(objectsDir, 'info'), { recursive: true });
  writeFileSync(join(objectsDir, 'info', 'alternates'), `${repository.gitDir}/objects\n`);
  return objectsDir;
}

/** The agent removed its checkout, or put something else in its place. */
function makeEmptyFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
}

function parseNameStatus(list: Buffer): ChangedPaths {
  const parts = splitNul(list);
  const changed: Buffer[] = [];
  const untracked: Buffer[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1];
    if (path !== undefined)
      (parts[at]?.toString('latin1') === 'A' ? untracked : changed).push(path);
  }
  return { changed, untracked };
}

function withUnrecorded(paths: ChangedPaths, unrecorded: readonly WorkTreeChange[]): ChangedPaths {
  const of = (isNew: boolean): Buffer[] =>
    unrecorded.filter(({ kind }) => (kind === 'new') === isNew).map(({ path }) => path);
  return {
    changed: [...paths.changed, ...of(false)],
    untracked: [...paths.untracked, ...of(true)],
  };
}
