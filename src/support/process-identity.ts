import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that can be told from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque start time as the kernel has it. */
  readonly startTime: string;
  /** Changes with every boot. */
  readonly bootId: string;
}

export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid) ?? { pid: process.pid, startTime: 'unknown', bootId: bootId() };
}

/** Null when there is no such process. */
export function identityOf(pid: number): ProcessIdentity | null {
  const startTime = startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, bootId: bootId() };
}

/** True while there is a process with this pid (a zombie is none). */
export function isRunning(pid: number): boolean {
  return startTimeOf(pid) !== null;
}

/** True while exactly this process runs (a zombie does not). */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.bootId === bootId() && startTimeOf(identity.pid) === identity.startTime;
}

export function bootId(): string {
  if (process.platform === 'linux') {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  }
  return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
}

function startTimeOf(pid: number): string | null {
  return process.platform === 'linux' ? linuxStartTime(pid) : psStartTime(pid);
}

function linuxStartTime(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // no such process
  }
  // The command name may hold spaces and parentheses: fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return state === 'Z' || state === 'X' ? null : (fields[19] ?? null);
}

function psStartTime(pid: number): string | null {
  try {
    const row = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    }).trim();
    return row === '' || row.startsWith('Z') ? null : row.replace(/^\S+\s+/, '');
  } catch {
    return null; // ps exits 1 when there is no such process
  }
}
