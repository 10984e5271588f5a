import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runtimeOf } from '../../runtimes/registry.js';
import type { Runtime, TrialMarker } from '../../runtimes/runtime.js';
import { pathExists } from '../../support/path-exists.js';
import { crashPoint } from '../../support/test-switches.js';
import { salvageCredentials } from '../credentials/salvage.js';
import { deadTrial } from '../dead-trial.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { removeTrialFolder, trialFiles, type TrialFiles } from '../trial-files.js';

/**
 * Removes what dead trials of the same state folder left: processes by their marker, sandboxes by
 * their dead owner. Their void record is written by whoever asks for their cell next.
 * @returns how many processes and sandboxes were removed
 */
export async function removeLeftovers(spec: SupervisorSpec, trialDir: string): Promise<number> {
  const trialsDir = dirname(trialDir);
  const others = (await readdir(trialsDir)).filter((name) => name !== spec.marker.trialHash);
  let removed = 0;
  for (const trialHash of new Set([...others, ...(await otherTrials(spec))])) {
    removed += await removeOne(trialHash, spec, join(trialsDir, trialHash));
  }
  return removed;
}

/** Trials of which something is left although their folder may be gone. */
async function otherTrials({ marker, sandbox }: SupervisorSpec): Promise<readonly string[]> {
  const hashes = await runtimeOf(sandbox.runtime).findLeftovers(marker.stateId);
  return hashes.filter((trialHash) => trialHash !== marker.trialHash);
}

async function removeOne(
  trialHash: string,
  spec: SupervisorSpec,
  trialDir: string,
): Promise<number> {
  const files = trialFiles(trialDir);
  const dead = await deadTrial(trialDir);
  if (dead === null) return 0;
  const runtime = runtimeOf(dead.runtime ?? spec.sandbox.runtime);
  const marker = { ...spec.marker, trialHash };
  const { ended } = await runtime.endLeftovers(marker, files.sandboxes);
  crashPoint('leftovers:processes-ended');
  const removedSandbox = await removeSandbox(runtime, marker, files);
  crashPoint('leftovers:sandbox-removed');
  if (dead.isClosed) await removeTrialFolder(trialDir);
  return ended + (removedSandbox ? 1 : 0);
}

async function removeSandbox(
  runtime: Runtime,
  marker: TrialMarker,
  files: TrialFiles,
): Promise<boolean> {
  if (!(await pathExists(files.sandboxes))) return false;
  try {
    await salvageCredentials(files);
    await runtime.destroy(marker, files.sandboxes);
    return true;
  } catch (error) {
    // Files of another user, say: they stay, and must not stop every later trial.
    console.error(error);
    return false;
  }
}
