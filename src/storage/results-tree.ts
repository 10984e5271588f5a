import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell } from '../domain/plan/cell.js';
import { isErrno, readJsonIfExists } from '../support/atomic-file.js';
import { refusalOf } from '../support/file-faults.js';
import { asResultsFault, RESULTS_FOLDER } from './results-fault.js';

/** `results-raw/<task>/<agent>/<condition>`. */
export function cellDir(experimentDir: string, cell: Omit<Cell, 'repeat'>): string {
  return join(experimentDir, RESULTS_FOLDER, cell.task, cell.agent, cell.condition);
}

export interface Attempt {
  readonly stamp: string;
  readonly dir: string;
  /** `open`: no meta.json. `broken`: a meta.json that is no record. */
  readonly state: 'counted' | 'not-counted' | 'open' | 'broken';
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/**
 * Attempts of one cell by stamp; folders that start with a dot are llmx's own.
 * @throws LlmxError `results_unusable`
 */
export async function listAttempts(dir: string): Promise<readonly Attempt[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(async (error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw await asResultsFault(error, dir);
  });
  const stamps = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
  return Promise.all(stamps.map((stamp) => readAttempt(dir, stamp)));
}

/** @throws LlmxError `results_unusable` for a meta.json that may be sound but can't be read now */
export async function readAttempt(dir: string, stamp: string): Promise<Attempt> {
  const folder = join(dir, stamp);
  const meta = await readMeta(join(folder, 'meta.json'));
  if (typeof meta === 'string') return { stamp, dir: folder, state: meta, meta: null };
  return { stamp, dir: folder, state: isCounted(meta) ? 'counted' : 'not-counted', meta };
}

async function readMeta(file: string): Promise<Readonly<Record<string, unknown>> | Unclosed> {
  try {
    const raw = await readJsonIfExists(file);
    if (raw === null) return (await isThere(file)) ? 'broken' : 'open';
    const isObject = typeof raw === 'object' && !Array.isArray(raw);
    return isObject ? (raw as Record<string, unknown>) : 'broken';
  } catch (error) {
    // What can't be a record is damaged for good. A disk that fails or a missing permission may be mended,
    // and the cell must not be paid for again meanwhile.
    if (error instanceof SyntaxError || isErrno(error, 'EISDIR') || isErrno(error, 'ELOOP')) {
      return 'broken';
    }
    throw refusalOf(error) === null ? error : await asResultsFault(error, file);
  }
}

type Unclosed = 'open' | 'broken';

/** Also a link to nothing: it stops a record from being written. */
async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/** Ours count when `status` is `valid`; the gem's trees have no status and count without `aborted`. */
export function isCounted(meta: Readonly<Record<string, unknown>>): boolean {
  if (meta['status'] !== undefined) return meta['status'] === 'valid';
  return meta['aborted'] === undefined || meta['aborted'] === null;
}

export async function countedAttempts(dir: string): Promise<number> {
  const attempts = await listAttempts(dir);
  return attempts.filter((attempt) => attempt.state === 'counted').length;
}
