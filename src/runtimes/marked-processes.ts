import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { isErrno } from '../support/atomic-file.js';
import type { TrialMarker } from './runtime.js';

/** Every process of a trial inherits these; a program that clears its environment is found by its folder. */
export const TRIAL_VARIABLE = 'LLMX_TRIAL';
export const STATE_VARIABLE = 'LLMX_STATE';

export interface MarkedProcess {
  readonly pid: number;
  /** Null for a process that was found by its working folder alone. */
  readonly trialHash: string | null;
}

export interface MarkQuery {
  readonly stateId: string;
  /** Null: every trial of the state folder. */
  readonly trialHash: string | null;
  /** Sandbox folder: a daemon without the marker that works in it belongs to the trial as well. */
  readonly root: string | null;
}

/** Running processes (no zombies) of this user that carry the marker; never the caller itself. */
export async function findMarked(query: MarkQuery): Promise<readonly MarkedProcess[]> {
  const found = process.platform === 'linux' ? findInProc(query) : await findWithPs(query);
  return found.filter(({ pid }) => pid !== process.pid);
}

export interface EndResult {
  /** Processes that were there at the first look. */
  readonly found: number;
  /** Processes that could not be ended. */
  readonly alive: number;
}

/**
 * TERM to all marked processes, KILL to what is left after the grace, again and again until a look
 * finds none: a process may fork between the look and the signal.
 */
export async function endMarked(query: MarkQuery, graceMs: number): Promise<EndResult> {
  const first = await findMarked(query);
  if (first.length === 0) return { found: 0, alive: 0 };
  if (graceMs > 0) {
    sendAll(first, 'SIGTERM');
    await goneWithin(query, graceMs);
  }
  const deadline = performance.now() + 5_000;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const rest = await findMarked(query);
    if (rest.length === 0 || performance.now() > deadline) {
      return { found: first.length, alive: rest.length };
    }
    sendAll(rest, 'SIGKILL');
    await delay(pauseMs);
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
  const found: MarkedProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const folder = `/proc/${name}`;
      if (statSync(folder).uid !== uid) continue;
      const trialHash = markIn(readFileSync(`${folder}/environ`, 'latin1'), '\0', query);
      if (trialHash !== null) found.push({ pid: Number(name), trialHash });
      else if (query.root !== null && isDaemonIn(folder, query.root)) {
        found.push({ pid: Number(name), trialHash: null });
      }
    } catch {
      // The process ended while it was looked at, or the kernel hides it: it can't be ours.
    }
  }
  return found;
}

/** Works in the sandbox and has no terminal: not the shell of a person who looks around there. */
function isDaemonIn(folder: string, root: string): boolean {
  const workingDir = readlinkSync(`${folder}/cwd`).replace(/ \(deleted\)$/, '');
  if (workingDir !== root && !workingDir.startsWith(`${root}/`)) return false;
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const terminal = fields[4];
  return terminal === '0' && fields[0] !== 'Z';
}

async function findWithPs(query: MarkQuery): Promise<MarkedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-xwwE', '-o', 'pid=,stat=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((row) => {
    const match = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(row);
    if (match === null || match[2]?.startsWith('Z') === true) return [];
    const trialHash = markIn(match[3] ?? '', ' ', query);
    return trialHash === null ? [] : [{ pid: Number(match[1]), trialHash }];
  });
}

/** The trial hash in an environment block, or null when it isn't one that is looked for. */
function markIn(environment: string, separator: string, query: MarkQuery): string | null {
  if (!environment.includes(`${STATE_VARIABLE}=${query.stateId}`)) return null;
  const variables = environment.split(separator);
  if (!variables.includes(`${STATE_VARIABLE}=${query.stateId}`)) return null;
  const prefix = `${TRIAL_VARIABLE}=`;
  const trialHash = variables.find((text) => text.startsWith(prefix))?.slice(prefix.length) ?? null;
  return query.trialHash === null || query.trialHash === trialHash ? trialHash : null;
}

export function markerEnv(marker: TrialMarker): Record<string, string> {
  return { [TRIAL_VARIABLE]: marker.trialHash, [STATE_VARIABLE]: marker.stateId };
}
