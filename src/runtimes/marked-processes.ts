import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndProof } from '../domain/trial/program-contract.js';
import { isErrno } from '../support/atomic-file.js';
import { isRunning } from '../support/process-identity.js';
import { KILL_DEADLINE_MS, killGroup, membersOf } from './control-groups/group.js';
import type { TrialMarker } from './runtime.js';
import { readProcFile } from './proc-file.js';
import { tagIn, tagOf } from './process-tag.js';

/** Every process of a trial inherits these; one that cleared its environment is found by its tag or folder. */
export const TRIAL_VARIABLE = 'LLMX_TRIAL';
export const STATE_VARIABLE = 'LLMX_STATE';

export interface MarkedProcess {
  readonly pid: number;
  /** Null for a process that was found by its tag, folder or control group alone. */
  readonly trialHash: string | null;
}

export interface MarkQuery {
  readonly stateId: string;
  /** Null: every trial of the state folder. */
  readonly trialHash: string | null;
  /** Sandbox folder: a daemon without the marker that works in it belongs to the trial as well. */
  readonly root: string | null;
  /** Control groups of the trial, where it has any: whoever is in there belongs to it. */
  readonly groups?: readonly string[];
}

/** Running processes (no zombies) of this user that carry the marker; never the caller or what it runs in. */
export async function findMarked(query: MarkQuery): Promise<readonly MarkedProcess[]> {
  const scanned = process.platform === 'linux' ? findInProc(query) : await findWithPs(query);
  const found = new Map(scanned.map((each) => [each.pid, each]));
  for (const pid of membersOf(query.groups ?? [])) {
    if (!found.has(pid)) found.set(pid, { pid, trialHash: null });
  }
  for (const pid of ownLine()) found.delete(pid);
  return [...found.values()];
}

export interface EndResult {
  /** Processes that were there at the first look. */
  readonly found: number;
  /** Processes that could not be ended. */
  readonly alive: number;
  readonly proof: EndProof;
}

/**
 * TERM to all marked processes, KILL to what is left after the grace, again and again until a look
 * finds none: a process may fork between the look and the signal.
 */
export async function endMarked(query: MarkQuery, graceMs: number): Promise<EndResult> {
  const first = await findMarked(query);
  let isProven = isHeldBy(query, first);
  if (first.length === 0) return { found: 0, alive: 0, proof: proofOf(isProven) };
  if (graceMs > 0) {
    sendAll(first, 'SIGTERM');
    await goneWithin(query, graceMs);
  }
  const deadline = performance.now() + KILL_DEADLINE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const rest = await findMarked(query);
    isProven &&= isHeldBy(query, rest);
    if (rest.length === 0 || performance.now() > deadline) {
      const isEmpty = rest.length === 0;
      return { found: first.length, alive: rest.length, proof: proofOf(isProven && isEmpty) };
    }
    killGroup(query.groups ?? []);
    sendAll(rest, 'SIGKILL');
    await delay(pauseMs);
  }
}

/** A process that is outside shows that the groups do not hold this trial: there may be others. */
function isHeldBy({ groups = [] }: MarkQuery, found: readonly MarkedProcess[]): boolean {
  if (groups.length === 0) return false;
  const outside = (pids: readonly number[]): readonly number[] => {
    const members = membersOf(groups);
    return pids.filter((pid) => !members.has(pid) && isRunning(pid));
  };
  // Twice: one may have been born, or have ended, between the two lists.
  return outside(outside(found.map(({ pid }) => pid))).length === 0;
}

function proofOf(isProven: boolean): EndProof {
  return isProven ? 'cgroup' : 'best-effort';
}

/** This process and those above it: a program must not end the container it runs in. */
function ownLine(): readonly number[] {
  const line = [process.pid];
  while (process.platform === 'linux') {
    const parent = parentOf(line.at(-1) ?? 0);
    if (parent === null || parent === 0) break;
    line.push(parent);
  }
  return line;
}

function parentOf(pid: number): number | null {
  try {
    return Number(statFields(`/proc/${pid}`)[1]);
  } catch {
    return null; // out of sight
  }
}

async function goneWithin(query: MarkQuery, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await delay(20);
    if ((await findMarked(query)).length === 0) return;
  }
}

function sendAll(processes: readonly MarkedProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // Gone since the look, or not ours to signal: the next look tells.
      if (!isErrno(error, 'ESRCH') && !isErrno(error, 'EPERM')) throw error;
    }
  }
}

function findInProc(query: MarkQuery): MarkedProcess[] {
  const uid = process.getuid?.() ?? 0;
  const tag = query.trialHash === null ? null : tagOf({ ...query, trialHash: query.trialHash });
  const found: MarkedProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const folder = `/proc/${name}`;
      if (statSync(folder).uid !== uid) continue;
      const trialHash = markIn(readProcFile(`${folder}/environ`), '\0', query);
      if (trialHash !== null) found.push({ pid: Number(name), trialHash });
      else if ((tag !== null && tagIn(folder) === tag) || isDaemonIn(folder, query.root)) {
        found.push({ pid: Number(name), trialHash: null });
      }
    } catch {
      // The process ended while it was looked at, or the kernel hides it: it can't be ours.
    }
  }
  return found;
}

/** Works in the sandbox and has no terminal: not the shell of a person who looks around there. */
function isDaemonIn(folder: string, root: string | null): boolean {
  if (root === null) return false;
  const workingDir = readlinkSync(`${folder}/cwd`).replace(/ \(deleted\)$/, '');
  if (workingDir !== root && !workingDir.startsWith(`${root}/`)) return false;
  const fields = statFields(folder);
  const terminal = fields[4];
  return terminal === '0' && fields[0] !== 'Z';
}

/** From the state on: the command's name before it may hold anything. */
function statFields(folder: string): readonly string[] {
  const stat = readProcFile(`${folder}/stat`).toString('latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function findWithPs(query: MarkQuery): Promise<MarkedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-xwwE', '-o', 'pid=,stat=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((row) => {
    const match = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(row);
    if (match === null || match[2]?.startsWith('Z') === true) return [];
    const trialHash = markIn(Buffer.from(match[3] ?? ''), ' ', query);
    return trialHash === null ? [] : [{ pid: Number(match[1]), trialHash }];
  });
}

/** The trial hash in an environment block, or null when it isn't one that is looked for. */
function markIn(environment: Buffer, separator: string, query: MarkQuery): string | null {
  if (!environment.includes(`${STATE_VARIABLE}=${query.stateId}`)) return null;
  const variables = environment.toString('latin1').split(separator);
  if (!variables.includes(`${STATE_VARIABLE}=${query.stateId}`)) return null;
  const prefix = `${TRIAL_VARIABLE}=`;
  const trialHash = variables.find((text) => text.startsWith(prefix))?.slice(prefix.length) ?? null;
  return query.trialHash === null || query.trialHash === trialHash ? trialHash : null;
}

export function markerEnv(marker: TrialMarker): Record<string, string> {
  return { [TRIAL_VARIABLE]: marker.trialHash, [STATE_VARIABLE]: marker.stateId };
}
