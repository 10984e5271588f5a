import { readFile } from 'node:fs/promises';
import { createFileAtomic, isErrno } from '../support/atomic-file.js';
import { isAlive, type ProcessIdentity } from '../support/process-identity.js';

interface Fence {
  readonly fenced: true;
  /** Of the attempt, which the trial's folder does not say where nothing else was written yet. */
  readonly attemptDir?: string;
}

/**
 * Who may run a trial: a supervisor, or nobody any more (`fenced`). The first to write the record
 * decides, so a supervisor that starts late never runs a trial that was given up.
 */
export type Owner = Fence | ({ readonly fenced: false } & ProcessIdentity);

/** @returns whether the record is this caller's */
export async function takeOwnership(file: string, owner: Owner): Promise<boolean> {
  // After a power cut the supervisor is as dead as a record that is missing or damaged says.
  return createFileAtomic(file, `${JSON.stringify(owner)}\n`, { mode: 0o600, sync: 'nothing' });
}

/** Null when nobody came yet. A record that can't be read names nobody who could be alive. */
export async function readOwner(file: string): Promise<Owner | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
  try {
    const owner = JSON.parse(text) as Owner | null;
    return owner ?? { fenced: true };
  } catch {
    return { fenced: true }; // damaged from outside: llmx writes it whole
  }
}

/** True while the supervisor of the trial runs. */
export function ownerRuns(owner: Owner | null): boolean {
  return owner !== null && !owner.fenced && isAlive(owner);
}
