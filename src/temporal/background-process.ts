import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from '../support/atomic-file.js';
import { pollUntil } from '../support/poll.js';
import { identityOf, isAlive, type ProcessIdentity } from '../support/process-identity.js';

const MAX_LOG_BYTES = 5 * 1024 * 1024;

export interface BackgroundCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
}

export type BackgroundStart =
  | {
      readonly kind: 'started';
      readonly process: ProcessIdentity;
      /** Where this run's output begins in the log file. */
      readonly logStart: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Starts a program in a session of its own with all output in the log file: neither Ctrl-C nor a
 * closed terminal reaches it, and this process may end at once. Its files are closed to other users.
 */
export async function startInBackground(command: BackgroundCommand): Promise<BackgroundStart> {
  await mkdir(dirname(command.logFile), { recursive: true, mode: 0o700 });
  const logStart = await rotateLog(command.logFile);
  const child = spawnPrivately(command);
  const identity = child.pid === undefined ? null : identityOf(child.pid);
  child.unref();
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ kind: 'failed', reason: error.message });
    });
    child.once('spawn', () => {
      if (identity === null) resolve({ kind: 'failed', reason: 'it ended at once' });
      else resolve({ kind: 'started', process: identity, logStart });
    });
  });
}

function spawnPrivately(command: BackgroundCommand): ChildProcess {
  const [program, ...args] = command.argv;
  const log = openSync(command.logFile, 'a', 0o600);
  // The child takes its umask from here. Nothing of this process runs before it is set back.
  const umask = process.umask(0o077);
  try {
    return spawn(program, args, {
      cwd: command.cwd,
      env: { ...command.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    process.umask(umask);
    closeSync(log);
  }
}

/** Starts a program that shares this terminal. Ctrl-C reaches it by itself; this process waits for it. */
export function startInTerminal(command: Omit<BackgroundCommand, 'logFile'>): {
  /** Null when it could not be started. */
  readonly process: ProcessIdentity | null;
  /** Its exit code; 1 when a signal ended it or it could not be started. */
  readonly ended: Promise<number>;
} {
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: { ...command.env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pass = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT') child.kill(name);
  };
  for (const name of PASSED_ON) process.on(name, pass);
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => {
      resolve(1);
    });
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
  return {
    process: child.pid === undefined ? null : identityOf(child.pid),
    ended: ended.finally(() => {
      for (const name of PASSED_ON) process.off(name, pass);
    }),
  };
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * SIGTERM, then SIGKILL when it is still there after the grace time. Only exactly this process is
 * signalled, never a later one with its pid.
 */
export async function stopProcess(
  identity: ProcessIdentity,
  graceMs: number,
): Promise<'not-running' | 'stopped' | 'killed' | 'still-running'> {
  if (!isAlive(identity)) return 'not-running';
  signal(identity, 'SIGTERM');
  if (await isGone(identity, graceMs)) return 'stopped';
  signal(identity, 'SIGKILL');
  return (await isGone(identity, 5_000)) ? 'killed' : 'still-running';
}

/** The last lines of the log from that byte on, for an error message. */
export async function logTail(logFile: string, logStart = 0, lines = 12): Promise<string> {
  const bytes = await readFile(logFile).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  });
  const tail = bytes.subarray(logStart).toString('utf8').trimEnd().split('\n').slice(-lines);
  return tail.map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line)).join('\n');
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error; // gone in between is what was wanted
  }
}

async function isGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  return (await pollUntil(() => (isAlive(identity) ? null : true), { timeoutMs })) !== null;
}

/**
 * One old log is kept. A process that still writes to it goes on doing so.
 * @returns the size of the log that is appended to now
 */
async function rotateLog(logFile: string): Promise<number> {
  const size = await stat(logFile).then(
    (stats) => stats.size,
    (error: unknown) => {
      if (isErrno(error, 'ENOENT')) return 0;
      throw error;
    },
  );
  if (size <= MAX_LOG_BYTES) return size;
  await rename(logFile, `${logFile}.1`);
  return 0;
}
