import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asResultsFault } from '../storage/results-fault.js';
import { readAttempt, type Attempt } from '../storage/results-tree.js';
import { createFileAtomic, isErrno } from '../support/atomic-file.js';
import type { ProcessIdentity } from '../support/process-identity.js';
import { pathExists } from '../support/path-exists.js';
import { readRecord } from './trial-files.js';

/** `<cell>/.claims/<n>.json`: the right to make the n-th attempt of a cell. Never changed, never removed. */
export interface Claim {
  readonly schemaVersion: 1;
  readonly n: number;
  readonly stamp: string;
  readonly requestId: string;
  readonly trialHash: string;
  /** State folder in which the trial runs. */
  readonly stateId: string;
  readonly repeat: number;
  readonly createdAt: string;
  readonly claimant: ProcessIdentity;
  /** Never in a file: this claim stands for one that can't be read. */
  readonly restored?: true;
}

/** A claim with the attempt it stands for. */
export interface ClaimedAttempt {
  readonly claim: Claim;
  /** `gone`: a person removed the attempt's folder. */
  readonly attempt: Attempt | 'gone';
}

export interface Claims {
  readonly all: readonly ClaimedAttempt[];
  /** Attempts that may still be running. */
  readonly open: readonly ClaimedAttempt[];
  /** Numbers of claims that can't be read. */
  readonly damaged: readonly number[];
  /** Number of the next claim. */
  readonly next: number;
}

export async function readClaims(cellDir: string): Promise<Claims> {
  const folder = join(cellDir, '.claims');
  const names = await readdir(folder).catch(async (error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw await asResultsFault(error, cellDir);
  });
  const numbers = names
    .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const damaged: number[] = [];
  const read = numbers.map(async (n) => {
    const claim = await readRecord(join(folder, `${n}.json`));
    if (isClaim(claim)) return [{ claim, attempt: await attemptOf(cellDir, claim) }];
    damaged.push(n); // it names no attempt; its number stays taken
    return [];
  });
  const all = (await Promise.all(read)).flat();
  return { all, open: all.filter(isOpen), damaged, next: (numbers.at(-1) ?? 0) + 1 };
}

function isClaim(value: unknown): value is Claim {
  const { stamp, requestId, trialHash, stateId, repeat, createdAt, claimant } = (value ??
    {}) as Record<string, unknown>;
  const texts = [stamp, requestId, trialHash, stateId, createdAt];
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    typeof repeat === 'number' &&
    typeof claimant === 'object' &&
    claimant !== null
  );
}

/** @returns whether the claim is this caller's; another may have taken the number */
export async function createClaim(cellDir: string, claim: Claim): Promise<boolean> {
  const file = join(cellDir, '.claims', `${claim.n}.json`);
  return createFileAtomic(file, `${JSON.stringify(claim, null, 2)}\n`);
}

export async function attemptOf(cellDir: string, claim: Claim): Promise<Attempt | 'gone'> {
  const attempt = await readAttempt(cellDir, claim.stamp);
  if (attempt.state !== 'open') return attempt;
  return (await pathExists(attempt.dir)) ? attempt : 'gone';
}

function isOpen({ attempt }: ClaimedAttempt): boolean {
  return attempt !== 'gone' && attempt.state === 'open';
}
