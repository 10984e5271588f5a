import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Check } from '../../domain/preflight/check.js';
import { RESULTS_FOLDER } from '../../storage/results-fault.js';
import { cellDir } from '../../storage/results-tree.js';
import { isErrno } from '../../support/atomic-file.js';
import { refusalOf } from '../../support/file-faults.js';
import { forEachLimited } from '../../support/for-each-limited.js';
import type { CheckSubject } from '../context.js';

const FOLDERS_AT_A_TIME = 32;

/** Trials can be recorded: results-raw, or what it will be made in, can be written. */
export async function resultsCheck(subject: CheckSubject): Promise<Check> {
  const base = { code: 'results', name: 'results folder' } as const;
  const tree = join(subject.folder, RESULTS_FOLDER);
  const problem = (await treeProblem(tree)) ?? (await firstProblem(foldersBelow(tree, subject)));
  if (problem === null) {
    return { ...base, status: 'ok', detail: `${RESULTS_FOLDER} can be written`, hint: null };
  }
  const where = relative(subject.folder, problem.path) || 'the experiment folder';
  return {
    ...base,
    status: 'fail',
    detail: `${where}: ${problem.reason}`,
    hint: `make ${where} a folder you can write to, then: llmx-client doctor`,
  };
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

/** A tree that is not there yet is made in the nearest folder above it. */
async function treeProblem(path: string): Promise<Problem | null> {
  const found = await look(path);
  return found === 'missing' ? treeProblem(dirname(path)) : found;
}

/** Every folder of a planned cell and above it, once. */
function foldersBelow(tree: string, { folder, cells }: CheckSubject): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const cell of cells) {
    for (let at = cellDir(folder, cell); at !== tree && !folders.has(at); at = dirname(at)) {
      folders.add(at);
    }
  }
  return folders;
}

async function firstProblem(folders: ReadonlySet<string>): Promise<Problem | null> {
  const problems: Problem[] = [];
  await forEachLimited(folders, FOLDERS_AT_A_TIME, async (folder) => {
    const found = await look(folder);
    if (found !== null && found !== 'missing') problems.push(found);
  });
  return problems.sort((a, b) => a.path.localeCompare(b.path))[0] ?? null;
}

/** Nothing is written to find out. Null when all is well. */
async function look(path: string): Promise<Problem | 'missing' | null> {
  try {
    if (!(await stat(path)).isDirectory()) return { path, reason: 'it is not a folder' };
    await access(path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return 'missing';
    const reason = refusalOf(error);
    if (reason === null) throw error;
    return { path, reason };
  }
}
