import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell } from '../domain/plan/cell.js';
import { isErrno, readJsonIfExists } from '../support/atomic-file.js';

/** `results-raw/<task>/<agent>/<condition>`. */
export function cellDir(experimentDir: string, cell: Omit<Cell, 'repeat'>): string {
  return join(experimentDir, 'results-raw', cell.task, cell.agent, cell.condition);
}

export interface Attempt {
  readonly stamp: string;
  readonly dir: string;
  /** `open`: no meta.json. `broken`: a meta.json that can't be read as an object. */
  readonly state: 'counted' | 'not-counted' | 'open' | 'broken';
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/** Attempts of one cell by stamp; folders that start with a dot are llmx's own. */
export async function listAttempts(dir: string): Promise<readonly Attempt[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  });
  const stamps = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
  return Promise.all(stamps.map((stamp) => readAttempt(dir, stamp)));
}

export async function readAttempt(dir: string, stamp: string): Promise<Attempt> {
  const folder = join(dir, stamp);
  const raw = await readJsonIfExists(join(folder, 'meta.json')).catch((error: unknown) => {
    if (error instanceof SyntaxError) return 'broken' as const;
    throw error;
  });
  if (raw === null) return { stamp, dir: folder, state: 'open', meta: null };
  if (typeof raw !== 'object' || Array.isArray(raw)) {
    return { stamp, dir: folder, state: 'broken', meta: null };
  }
  const meta = raw as Record<string, unknown>;
  return { stamp, dir: folder, state: isCounted(meta) ? 'counted' : 'not-counted', meta };
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
