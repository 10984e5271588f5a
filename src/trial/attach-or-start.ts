import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cellDir, countedAttempts, type Attempt } from '../storage/results-tree.js';
import { isErrno, writeJsonAtomic } from '../support/atomic-file.js';
import { pathExists } from '../support/path-exists.js';
import { ownIdentity } from '../support/process-identity.js';
import { crashPoint, isClaimBroken } from '../support/test-switches.js';
import { awaitClosed } from './await-closed.js';
import { bury } from './bury.js';
import { attemptOf, createClaim, readClaims, type Claim, type Claims } from './claims.js';
import { classifyError } from './classify.js';
import { nextStamp, trialHashOf, trialIdOf } from './ids.js';
import { withRestored } from './restore-claims.js';
import { startSupervisor, type Starter } from './start-supervisor.js';
import { stopTrial } from './stop-trial.js';
import type { SupervisorSpec } from './supervisor-spec.js';
import { trialFiles } from './trial-files.js';
import type { PreparedTrial, TrialHost, TrialRequest, WaitOptions } from './trial-request.js';

export type TrialAnswer =
  /** The attempt of this request is closed. */
  | { readonly kind: 'record'; readonly attempt: Attempt }
  /** The cell has its results from elsewhere; nothing was run for this request. */
  | { readonly kind: 'already-done' }
  /** Nothing was claimed: there is no prompt to run. */
  | { readonly kind: 'prompt-missing' }
  /** Cancelled before anything was claimed. */
  | { readonly kind: 'cancelled' };

/**
 * Gets a cell its attempt without ever running it twice: takes the finished record of this request,
 * waits for an attempt that runs (or buries a dead one), and only then starts one of its own.
 * @throws the signal's reason when the caller detaches; the trial goes on
 */
export async function attachOrStart(
  request: TrialRequest,
  host: TrialHost,
  options: WaitOptions = {},
): Promise<TrialAnswer> {
  const dir = cellDir(request.experimentDir, request.cell);
  for (;;) {
    options.signal?.throwIfAborted();
    crashPoint('attach:before-look');
    const found = await withRestored(await readClaims(dir), request, host);
    const claims = isClaimBroken() ? forgotten(found) : found;
    const own = ownRecord(claims, request.requestId);
    if (own !== null) return { kind: 'record', attempt: own };
    const open = claims.open[0];
    if (open !== undefined) {
      const isOwn = open.claim.requestId === request.requestId;
      const waiting = isOwn ? options : untilCancelled(options);
      try {
        await awaitClosed(open.claim, join(dir, open.claim.stamp), request, host, waiting);
      } catch (error) {
        if (isOwn || !isCancelled(options)) throw error;
      }
      if (!isOwn && isCancelled(options)) return { kind: 'cancelled' };
      continue;
    }
    if (isCancelled(options)) return { kind: 'cancelled' };
    if (!request.redoDone && (await countedAttempts(dir)) >= request.cell.repeat) {
      return { kind: 'already-done' };
    }
    if (!(await pathExists(request.promptFile))) return { kind: 'prompt-missing' };
    const started = await start(request, host, claims, options);
    if (started === null) continue; // another took the number: see what it is about
    await awaitClosed(started.claim, started.attemptDir, request, host, {
      ...options,
      starter: started.starter,
    });
    crashPoint('attach:closed');
    // Only its own attempt is looked at: reading all of a cell's takes longer with every repeat.
    const attempt = await attemptOf(dir, started.claim);
    if (attempt !== 'gone' && attempt.state !== 'open') return { kind: 'record', attempt };
  }
}

/** Test-only: a cell about which nothing is known but the next free number. */
function forgotten({ next }: Claims): Claims {
  return { all: [], open: [], damaged: [], next };
}

function isCancelled({ cancel }: WaitOptions): boolean {
  return cancel?.aborted === true;
}

function untilCancelled(options: WaitOptions): WaitOptions {
  const signals = [options.signal, options.cancel].filter((signal) => signal !== undefined);
  return { ...options, signal: AbortSignal.any(signals) };
}

/** The closed attempt that was claimed under the request; the latest, should a person have removed one. */
function ownRecord(claims: Claims, requestId: string): Attempt | null {
  const own = claims.all.filter(({ claim }) => claim.requestId === requestId);
  const closed = own.flatMap(({ attempt }) =>
    attempt === 'gone' || attempt.state === 'open' ? [] : [attempt],
  );
  return closed.at(-1) ?? null;
}

interface Started {
  readonly claim: Claim;
  readonly attemptDir: string;
  readonly starter: Starter;
}

/** @returns null when another process claimed the number first */
async function start(
  request: TrialRequest,
  host: TrialHost,
  claims: Claims,
  options: WaitOptions,
): Promise<Started | null> {
  const dir = cellDir(request.experimentDir, request.cell);
  const prepared = await request.prepare();
  crashPoint('attach:prepared');
  const { stamp, attemptDir } = await makeAttemptFolder(
    dir,
    request.stamp,
    new Set(claims.all.map((earlier) => earlier.claim.stamp)),
  );
  const claim: Claim = {
    schemaVersion: 1,
    n: claims.next,
    stamp,
    requestId: request.requestId,
    trialHash: trialHashOf(trialIdOf(request.experimentKey, request.cell, stamp)),
    stateId: host.stateId,
    repeat: request.cell.repeat,
    createdAt: new Date().toISOString(),
    claimant: ownIdentity(),
  };
  crashPoint('attach:before-claim');
  if (!(await isClaimed(dir, claim, attemptDir))) return null;
  crashPoint('attach:claimed');
  try {
    const trialDir = await writeSpec(claim, attemptDir, request, host, prepared);
    crashPoint('attach:spec-written');
    // A cancel that came before the folder was there could not leave its mark in it.
    if (isCancelled(options)) await stopTrial(trialDir);
    const starter = startSupervisor(trialDir, host);
    crashPoint('attach:supervisor-started');
    return { claim, attemptDir, starter };
  } catch (error) {
    // A claim without a supervisor would hold the cell for as long as this process lives.
    await bury({ claim, attemptDir }, request, host, classifyError(error));
    return { claim, attemptDir, starter: { exited: true, onExit: () => undefined } };
  }
}

/** Without its claim the folder would look like an attempt that never closed. */
async function isClaimed(dir: string, claim: Claim, attemptDir: string): Promise<boolean> {
  let claimed = false;
  try {
    claimed = await createClaim(dir, claim);
    return claimed;
  } finally {
    if (!claimed) await rmdir(attemptDir);
  }
}

/**
 * The folder comes before the claim: a claim whose folder is missing was removed by a person. Its
 * stamp is not used again.
 */
export async function makeAttemptFolder(
  dir: string,
  wanted: string,
  used: ReadonlySet<string>,
): Promise<{ stamp: string; attemptDir: string }> {
  await mkdir(dir, { recursive: true });
  for (let stamp = wanted; ; stamp = nextStamp(stamp)) {
    if (used.has(stamp)) continue;
    const attemptDir = join(dir, stamp);
    try {
      await mkdir(attemptDir);
      return { stamp, attemptDir };
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
}

export async function writeSpec(
  claim: Claim,
  attemptDir: string,
  request: TrialRequest,
  host: TrialHost,
  prepared: PreparedTrial,
): Promise<string> {
  const files = trialFiles(host.layout.trialDir(claim.trialHash));
  await mkdir(files.dir, { recursive: true, mode: 0o700 });
  crashPoint('attach:trial-folder-made');
  const spec: SupervisorSpec = {
    ...prepared,
    schemaVersion: 1,
    marker: { trialHash: claim.trialHash, stateId: claim.stateId },
    hostLock: host.hostLock,
    attemptDir,
    experimentDir: request.experimentDir,
    facts: { ...request.facts, repeat: claim.repeat, stamp: claim.stamp },
  };
  // A power cut ends the supervisor too, and the attempt is closed as void without the spec as with it.
  await writeJsonAtomic(files.spec, spec, { mode: 0o600, sync: 'nothing' });
  return files.dir;
}
