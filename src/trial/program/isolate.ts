import { existsSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';
import { editTree, filesAt, readCommit, writeOrphan, type CommitText } from '../../git/commit.js';
import { copyTemplate } from '../../apps/template/copy-template.js';
import { makeFreshRepository } from '../../git/fresh-repository.js';
import { git, GitFailure, ordinary, type Repository } from '../../git/git.js';
import { isFolder } from '../../git/work-tree-changes.js';
import { sealGrade } from './grade-seal.js';
import { imageToolchain } from './in-container.js';
import type { Phase, PhaseContext } from './state.js';
import { faultOf, inspect, type Inspection } from './inspect-isolation.js';

/**
 * Leaves one branch with one commit in the checkout, and the same in the checkout for grading. Each gets a
 * new repository around what the branch reaches; the old one goes away with all that it knew.
 */
export const isolate: Phase = async ({ spec }: PhaseContext) => {
  if (spec.container !== undefined) await copyTemplate(spec.container.appDir, spec.checkoutDir);
  const isOne = spec.gradeDir === spec.checkoutDir;
  if (!isOne) removeIfEmpty(spec.gradeDir);
  const isBoth = !isOne && existsSync(spec.gradeDir);
  const [checkout, grading] = await Promise.all([
    isolateOne(spec, spec.checkoutDir),
    isBoth ? isolateOne(spec, spec.gradeDir) : null,
  ]);
  const fault = faultOf(checkout, spec.branch) ?? (grading && faultOf(grading, spec.branch));
  const toolchain = spec.container === undefined ? null : imageToolchain();
  const found = {
    isolation: checkout.isolation,
    ...(toolchain === null ? {} : { toolchain }),
  };
  if (fault !== null) return { found, abort: { reason: 'isolation_failed', detail: fault } };
  if (grading !== null && grading.commitId !== checkout.commitId) {
    const detail = 'the checkout for grading holds another commit than the agent’s';
    return { found, abort: { reason: 'isolation_failed', detail } };
  }
  // A copy is cheaper than isolating twice, and it carries the index that knows the agent's files.
  if (!isBoth && !isOne) await copyTemplate(spec.checkoutDir, spec.gradeDir);
  return { found, seal: sealGrade(spec, checkout.commitId) };
};

async function isolateOne(spec: ProgramSpec, dir: string): Promise<Inspection> {
  if (!isFolder(dir)) throw new GitFailure('there is no checkout');
  const old: Repository = { gitDir: gitDirOf(dir), workTree: dir };
  const ref = `refs/heads/${spec.branch}`;
  const [commit, unwanted] = await Promise.all([
    readCommit(old, ref),
    filesAt(old, ref, spec.neutralize).catch(() => []), // no such branch: the commit says it
  ]);
  if (commit === null) throw new GitFailure(`there is no branch ${spec.branch}`);
  if (commit.parents.length > 0) throw new GitFailure(`branch ${spec.branch} has a history`);
  const id = unwanted.length === 0 ? commit.id : await amendWithout(old, commit, unwanted);
  const isCheckedOut =
    id === commit.id &&
    existsSync(join(old.gitDir, 'index')) &&
    readIfThere(join(old.gitDir, 'HEAD'))?.trim() === `ref: ${ref}`;
  await replaceRepository(old, dir, { ref, id });
  // Files of another branch that are not in this one go, ignored files (dependencies) stay.
  if (!isCheckedOut) await git(ordinary(dir), ['read-tree', '--reset', '-u', id]);
  return inspect(ordinary(dir));
}

async function amendWithout(
  repository: Repository,
  commit: CommitText,
  files: readonly Buffer[],
): Promise<string> {
  const tree = await editTree(repository, commit.tree, {
    entries: files.map((path) => ({ path, blob: null })),
    indexFile: join(repository.gitDir, 'llmx-neutralize-index'),
  });
  return writeOrphan(repository, { ...commit, tree });
}

async function replaceRepository(
  old: Repository,
  dir: string,
  branch: { readonly ref: string; readonly id: string },
): Promise<void> {
  const gitDir = join(dir, '.git-llmx-new');
  rmSync(gitDir, { recursive: true, force: true });
  await makeFreshRepository({
    gitDir,
    from: old,
    refs: new Map([[branch.ref, branch.id]]),
    head: branch.ref,
    // Where the template lists what its set-up left in the checkout.
    exclude: readIfThere(join(old.gitDir, 'info', 'exclude')),
  });
  // The index moves, so that git still knows which files are as it wrote them.
  const index = join(old.gitDir, 'index');
  if (existsSync(index)) renameSync(index, join(gitDir, 'index'));
  rmSync(join(dir, '.git'), { recursive: true, force: true });
  renameSync(gitDir, join(dir, '.git'));
}

/** `.git` is a file in a worktree and in a submodule. */
function gitDirOf(dir: string): string {
  const path = join(dir, '.git');
  try {
    const target = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return target === undefined ? path : resolve(dirname(path), target);
  } catch {
    return path; // a folder, the usual case
  }
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function removeIfEmpty(dir: string): void {
  if (existsSync(dir) && readdirSync(dir).length === 0) rmdirSync(dir);
}
