import { runtimeOf } from '../runtimes/registry.js';
import { sandboxPaths } from '../runtimes/sandbox-paths.js';
import { isDiskFull } from '../support/file-faults.js';
import { tryKernelLock } from '../support/kernel-lock.js';
import { isAlive } from '../support/process-identity.js';
import { pathExists } from '../support/path-exists.js';
import { crashPoint } from '../support/test-switches.js';
import { copyArtifacts, keepLog } from './artifacts.js';
import type { Claim, ClaimedAttempt } from './claims.js';
import { voidTrial, type Classification } from './classify.js';
import { closeTrial, readOutcome, recordTrial, type ClosingPlace } from './close-trial.js';
import { salvageCredentials } from './credentials/salvage.js';
import { ownerRuns, readOwner, takeOwnership } from './owner.js';
import { readSupervisorSpec } from './supervisor-spec.js';
import { removeTrialFolder, trialFiles, type TrialFiles } from './trial-files.js';
import type { TrialHost, TrialRequest } from './trial-request.js';

/** How far a claimed trial is, as far as processes tell. */
export type Life =
  | 'running'
  /** No supervisor yet, but whoever claimed it may still start one. */
  | 'starting'
  /** Nobody is there, but a supervisor may be on its way. */
  | 'late'
  | 'dead';

export async function lifeOf(claim: Claim, host: TrialHost): Promise<Life> {
  if (claim.stateId !== host.stateId) return foreignLife(claim, host);
  const files = trialFiles(host.layout.trialDir(claim.trialHash));
  const owner = await readOwner(files.owner);
  if (owner !== null) return ownerRuns(owner) ? 'running' : 'dead';
  if (isAlive(claim.claimant)) return 'starting';
  // The spec is written before the supervisor is started: without one there is none.
  return (await pathExists(files.spec)) ? 'late' : 'dead';
}

/** Trials of another state folder can't be looked into: one may be theirs while the host is taken. */
async function foreignLife(claim: Claim, host: TrialHost): Promise<Life> {
  if (isAlive(claim.claimant)) return 'running';
  const lock = await tryKernelLock(host.hostLock);
  await lock?.release();
  return lock === null ? 'running' : 'dead';
}

/**
 * Closes a trial whose supervisor is dead, or never came: fences it, ends what is left of it, writes the
 * record that it could not write any more, else a void one, and removes its folder. Any number of
 * processes may do this at the same time.
 */
export async function bury(
  claimed: Pick<ClaimedAttempt, 'claim'> & { readonly attemptDir: string },
  request: TrialRequest,
  host: TrialHost,
  cause: Classification | null = null,
): Promise<void> {
  const { claim, attemptDir } = claimed;
  const files = trialFiles(host.layout.trialDir(claim.trialHash));
  if (!(await takeOwnership(files.owner, { fenced: true, attemptDir }))) {
    // A supervisor came after all. It is on its own again while it lives.
    if (ownerRuns(await readOwner(files.owner))) return;
  }
  crashPoint('bury:fenced');
  const spec = await readSupervisorSpec(files.spec);
  const runtime = runtimeOf(spec?.sandbox.runtime ?? request.runtime);
  const marker = { trialHash: claim.trialHash, stateId: claim.stateId };
  const { ended, proof } = await runtime.endLeftovers(marker, files.sandboxes);
  crashPoint('bury:processes-ended');
  const place = {
    attemptDir,
    experimentDir: request.experimentDir,
    outDir: sandboxPaths(files.sandbox).out,
    logFile: files.log,
  };
  const outcome = await readOutcome(files.outcome);
  if (outcome !== null) await closeTrial(place, outcome);
  else {
    await keepWhatFits(place);
    crashPoint('bury:files-kept');
    await recordTrial(place, {
      facts: spec?.facts ?? { ...request.facts, repeat: claim.repeat, stamp: claim.stamp },
      classification: cause ?? (await causeOfDeath(claim, files)),
      result: null,
      reading: null,
      startedAt: claim.createdAt,
      finishedAt: new Date().toISOString(),
      hostWallSeconds: Math.max(0, (Date.now() - Date.parse(claim.createdAt)) / 1000),
      toolchain: {},
      host: {},
      imageId: null,
      proof,
      leftoversKilled: ended,
      leftoversBefore: 0,
      agentOom: false,
    });
  }
  crashPoint('bury:recorded');
  await salvageCredentials(files);
  await runtime.destroy(marker, files.sandboxes);
  crashPoint('bury:sandbox-removed');
  await removeTrialFolder(files.dir);
}

/** What a dead trial left is for people to look at; a full disk must not keep it from being closed. */
async function keepWhatFits({ outDir, attemptDir, logFile }: ClosingPlace): Promise<void> {
  try {
    await copyArtifacts(outDir, attemptDir);
    await keepLog(logFile, attemptDir);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

async function causeOfDeath(claim: Claim, files: TrialFiles): Promise<Classification> {
  if (await pathExists(files.stop)) return voidTrial('cancelled', null);
  const detail = claim.restored === true ? 'the claim of this attempt was damaged' : null;
  return voidTrial('supervisor_died', detail);
}
