import { join } from 'node:path';
import type { RuntimeKind } from '../domain/experiment/experiment.js';
import { pathExists } from '../support/path-exists.js';
import { ownerRuns, readOwner } from './owner.js';
import { readSupervisorSpec } from './supervisor-spec.js';
import { trialFiles } from './trial-files.js';

/** A trial that nobody runs any more, and of which nothing is still to be kept. */
export interface DeadTrial {
  /** Null where nothing says it. */
  readonly runtime: RuntimeKind | null;
  /** Its attempt has its record: the trial's folder is of no use any more. */
  readonly isClosed: boolean;
}

/** Null for a trial that runs, waits, is about to start, or is over with artifacts that are not recorded yet. */
export async function deadTrial(trialDir: string): Promise<DeadTrial | null> {
  const files = trialFiles(trialDir);
  const owner = await readOwner(files.owner);
  // Waiting for its turn, or about to start: not ours to touch.
  if (ownerRuns(owner) || (owner === null && (await pathExists(trialDir)))) return null;
  const spec = await readSupervisorSpec(files.spec);
  const fence = owner?.fenced === true ? owner : null;
  const attemptDir = spec?.attemptDir ?? fence?.attemptDir;
  const isClosed = attemptDir !== undefined && (await pathExists(join(attemptDir, 'meta.json')));
  // It is over, and what it left is still to be kept: that is for whoever asks for its cell.
  if (!isClosed && (await pathExists(files.outcome))) return null;
  return { runtime: spec?.sandbox.runtime ?? null, isClosed };
}
