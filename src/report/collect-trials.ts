/** Every attempt of a results tree, one at a time: nothing of a file is kept but what the visitor keeps. */

import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isErrno } from '../support/atomic-file.js';
import { forEachLimited } from '../support/for-each-limited.js';
import { isFileError, judgeAttempt, type JudgedAttempt } from './read-attempt.js';

const FOLDERS_AT_A_TIME = 32;

/** `<task>/<agent>/<condition>/<stamp>`: a folder at this depth without records is an attempt that never closed. */
const ATTEMPT_DEPTH = 4;

/** @param folder the attempt's folder, relative to the tree */
export type AttemptVisitor = (attempt: JudgedAttempt, folder: string) => void;

/**
 * Visits the attempts below `tree` in no particular order. Folders that start with a dot and links to
 * folders are left out; what lies inside an attempt is never taken for another one.
 */
export async function collectTrials(tree: string, visit: AttemptVisitor): Promise<void> {
  let level: readonly string[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    const below: string[] = [];
    await forEachLimited(level, FOLDERS_AT_A_TIME, async (dir) => {
      below.push(...(await visitFolder(tree, dir, depth, visit)));
    });
    level = below;
  }
}

/** @returns the folders to look into next */
async function visitFolder(
  tree: string,
  dir: string,
  depth: number,
  visit: AttemptVisitor,
): Promise<readonly string[]> {
  const folder = relative(tree, dir);
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    if (depth === 0 || !isFileError(error)) throw error;
    visit({ kind: 'excluded', arm: null, reason: 'unreadable', detail: 'folder' }, folder);
    return null;
  });
  if (entries === null) return [];
  const isFile = (name: string): boolean =>
    entries.some((entry) => entry.name === name && (entry.isFile() || entry.isSymbolicLink()));
  const files = { hasMeta: isFile('meta.json'), hasMetrics: isFile('metrics.json') };
  const attempt = files.hasMeta || files.hasMetrics ? await judgeAttempt(dir, files) : null;
  if (attempt !== null) visit(attempt, folder);
  if (attempt?.arm) return [];
  const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  if (attempt === null && below.length === 0 && depth === ATTEMPT_DEPTH) {
    visit({ kind: 'excluded', arm: null, reason: 'unfinished', detail: null }, folder);
  }
  return below.map((entry) => join(dir, entry.name));
}
