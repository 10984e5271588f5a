import { join } from 'node:path';
import { cellDir, listAttempts } from '../storage/results-tree.js';
import { pathExists } from '../support/path-exists.js';
import { crashPoint } from '../support/test-switches.js';
import type { Claim, ClaimedAttempt, Claims } from './claims.js';
import { trialHashOf, trialIdOf } from './ids.js';
import type { TrialHost, TrialRequest } from './trial-request.js';

/** A claim that can't be read names nobody. */
const NOBODY = { pid: 0, startTime: '', bootId: '' };

/**
 * A damaged claim may stand for a trial that runs. What it was about follows from its attempt's folder, the
 * one that is open and that no other claim names: that attempt is waited for, or buried, like any other.
 */
export async function withRestored(
  claims: Claims,
  request: TrialRequest,
  host: TrialHost,
): Promise<Claims> {
  if (claims.damaged.length === 0) return claims;
  const dir = cellDir(request.experimentDir, request.cell);
  const named = new Set(claims.all.map(({ claim }) => claim.stamp));
  const orphans = (await listAttempts(dir)).filter(
    ({ state, stamp }) => state === 'open' && !named.has(stamp),
  );
  const restored = await Promise.all(
    orphans.map(async (attempt): Promise<ClaimedAttempt> => {
      const claim = await restoredClaim(attempt.stamp, request, host);
      return { claim, attempt };
    }),
  );
  crashPoint('attach:claims-restored');
  return { ...claims, open: [...restored, ...claims.open] };
}

async function restoredClaim(
  stamp: string,
  request: TrialRequest,
  host: TrialHost,
): Promise<Claim> {
  const trialHash = trialHashOf(trialIdOf(request.experimentKey, request.cell, stamp));
  const isOurs = await pathExists(join(host.layout.trialDir(trialHash)));
  return {
    schemaVersion: 1,
    n: 0,
    stamp,
    requestId: '',
    trialHash,
    stateId: isOurs ? host.stateId : '',
    repeat: request.cell.repeat,
    createdAt: isoOf(stamp),
    claimant: NOBODY,
    restored: true,
  };
}

/** Of `YYYYMMDDTHHMMSSZ`; now for a folder that is named otherwise. */
function isoOf(stamp: string): string {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  return Number.isNaN(Date.parse(iso)) ? new Date().toISOString() : iso;
}
