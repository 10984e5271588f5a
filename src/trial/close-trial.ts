import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '../support/atomic-file.js';
import { crashPoint } from '../support/test-switches.js';
import { copyArtifacts, keepLog, writeAnswer } from './artifacts.js';
import { closeAttempt, type AttemptFacts } from './attempt-records.js';
import { readRecord } from './trial-files.js';

/** Where a trial that is over left its files, and where they are kept. */
export interface ClosingPlace {
  readonly attemptDir: string;
  readonly experimentDir: string;
  /** What the trial program wrote. */
  readonly outDir: string;
  readonly logFile: string;
}

/** Keeps what a trial left in the attempt's folder, then closes the attempt. */
export async function closeTrial(place: ClosingPlace, attempt: AttemptFacts): Promise<void> {
  const { attemptDir } = place;
  const leftOut = await copyArtifacts(place.outDir, attemptDir);
  const answer = attempt.reading?.answer ?? null;
  if (answer !== null) await writeAnswer(attemptDir, answer);
  if (attempt.classification.loud) await keepLog(place.logFile, attemptDir);
  crashPoint('close:files-kept');
  await recordTrial(place, { ...attempt, classification: withLeftOut(attempt, leftOut) });
}

function withLeftOut(
  { classification }: AttemptFacts,
  leftOut: readonly string[],
): AttemptFacts['classification'] {
  if (leftOut.length === 0) return classification;
  const said = classification.detail === null ? '' : `${classification.detail}; `;
  return { ...classification, detail: `${said}could not be kept: ${leftOut.join(', ')}` };
}

/** The record alone. */
export async function recordTrial(
  place: Pick<ClosingPlace, 'attemptDir' | 'experimentDir'>,
  attempt: AttemptFacts,
): Promise<void> {
  await rm(reserveFile(place.attemptDir), { force: true });
  crashPoint('close:room-freed');
  await closeAttempt(place.attemptDir, place.experimentDir, attempt);
}

/** More than the records of any trial but one with thousands of changed files. */
const RESERVED_BYTES = 128 * 1024;

function reserveFile(attemptDir: string): string {
  return join(attemptDir, '.reserved');
}

/** Keeps room for the records, so that a disk which fills up during the trial does not take them too. */
export async function reserveRoom(attemptDir: string): Promise<void> {
  // Random, because some file systems keep no blocks for what they can compress.
  await writeFile(reserveFile(attemptDir), randomBytes(RESERVED_BYTES));
}

/**
 * Written before anything is kept: when the results can't be written at that moment, or the supervisor is
 * killed, whoever asks for the cell next closes the attempt with it.
 */
export async function writeOutcome(file: string, attempt: AttemptFacts): Promise<void> {
  // A power cut in this moment costs the trial as it would at any moment before.
  await writeJsonAtomic(file, attempt, { mode: 0o600, sync: 'nothing' });
}

/** Null when there is none that can be read. */
export async function readOutcome(file: string): Promise<AttemptFacts | null> {
  const outcome = (await readRecord(file)) as Partial<AttemptFacts> | null;
  const isWhole = typeof outcome?.facts === 'object' && typeof outcome.classification === 'object';
  return isWhole ? (outcome as AttemptFacts) : null;
}
