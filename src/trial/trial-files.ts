import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno } from '../support/atomic-file.js';
import { openPlainFile } from '../support/plain-file.js';

/** The working folder of one trial, `<state>/trials/<trialHash>`. */
export interface TrialFiles {
  readonly dir: string;
  readonly spec: string;
  /** Who may run this trial: created once, never replaced. */
  readonly owner: string;
  readonly progress: string;
  /** Standard output and error of supervisor and trial program. */
  readonly log: string;
  /** There while a cancel is asked for. */
  readonly stop: string;
  /** Every sandbox of the trial. */
  readonly sandboxes: string;
  /** The one in which the agent works. */
  readonly sandbox: string;
  /** How a trial that is over ended, until its attempt is closed. */
  readonly outcome: string;
  /** There while a copy of a login is in the sandbox; see src/trial/credentials/. */
  readonly credentials: string;
  /** In the state folder: the login of a dead trial, until the store can get it back. */
  readonly salvagedLogin: string;
}

export function trialFiles(dir: string): TrialFiles {
  return {
    dir,
    spec: join(dir, 'spec.json'),
    owner: join(dir, 'owner.json'),
    progress: join(dir, 'progress.json'),
    log: join(dir, 'supervisor.log'),
    stop: join(dir, 'stop'),
    sandboxes: join(dir, 'sandboxes'),
    sandbox: join(dir, 'sandboxes', 'trial'),
    outcome: join(dir, 'outcome.json'),
    credentials: join(dir, 'credentials.json'),
    salvagedLogin: join(dirname(dirname(dir)), 'salvaged-logins', `${basename(dir)}.json`),
  };
}

/** A supervisor that was given up may still write its progress into it. */
export async function removeTrialFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** More than any record of a trial with tens of thousands of changed files. */
const LONGEST_RECORD_BYTES = 16 * 1024 * 1024;

/** JSON of a file that other processes write; null when it is missing or can't be read as an object. */
export async function readRecord(file: string): Promise<Readonly<Record<string, unknown>> | null> {
  let text: string | null;
  try {
    text = await readText(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null; // half-written by something that is not llmx: as good as missing
  }
}

/** Null for what is no plain file, or too long. */
async function readText(file: string): Promise<string | null> {
  const opened = await openPlainFile(file);
  if (opened === null) return null;
  const { handle, sizeBytes } = opened;
  try {
    return sizeBytes > LONGEST_RECORD_BYTES ? null : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
