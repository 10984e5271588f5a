import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { OUTPUT_POLL_MS } from '../domain/trial/limits.js';
import { startInGroup } from './control-groups/group.js';

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface GroupCommand {
  readonly argv: readonly string[];
  /** Whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Null: empty. */
  readonly stdinFile: string | null;
  readonly stdoutFd: number;
  readonly stderrFd: number;
  readonly timeoutMs: number;
  /** Between TERM and KILL. */
  readonly killGraceMs: number;
  /** Both streams together; more ends the program as the time limit does. */
  readonly outputLimitBytes: number;
  /** Asked again and again while it runs: true ends it as too much output does. @defaultValue never */
  readonly isOverLimit?: () => boolean;
  /** Asked with it: true ends it because it waits in vain. @defaultValue never */
  readonly isStalled?: () => boolean;
  /** Control groups to start it in, and those of this process. @defaultValue none */
  readonly groups?: { readonly inside: readonly string[]; readonly back: readonly string[] };
}

export interface GroupEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly outputLimited: boolean;
  readonly stalled: boolean;
  /** False where there was no control group to start it in. */
  readonly isGrouped: boolean;
  /** Monotonic, from the start of the process to its exit. */
  readonly seconds: number;
  /** Why the program could not be started (`exit` is then what a shell would answer), or null. */
  readonly notStarted: string | null;
}

const running = new Set<number>();
let isEnding = false;

/**
 * Runs a program in a process group of its own and waits for its exit, not for its output to be closed:
 * output goes straight to files, so neither gigabytes nor a pipe that a grandchild holds open matter.
 * At a limit the group gets TERM, then KILL; what is left of it when the program is gone gets KILL.
 */
export async function runInGroup(command: GroupCommand): Promise<GroupEnd> {
  if (isEnding) return new Promise(() => undefined);
  const stdin = command.stdinFile === null ? 'ignore' : openSync(command.stdinFile, 'r');
  const clock = { startedNs: process.hrtime.bigint() };
  try {
    const { child, isGrouped } = await start(command, stdin, clock);
    const end = await endOf(child, command);
    return { ...end, isGrouped, seconds: secondsSince(clock.startedNs), notStarted: null };
  } catch (error) {
    return notStarted(command, error, secondsSince(clock.startedNs));
  } finally {
    if (typeof stdin === 'number') closeSync(stdin);
  }
}

type Started = ChildProcess & { readonly pid: number };

function start(
  command: GroupCommand,
  stdin: number | 'ignore',
  clock: { startedNs: bigint },
): Promise<{ readonly child: Started; readonly isGrouped: boolean }> {
  const [program = '', ...args] = command.argv;
  return new Promise((resolve, reject) => {
    const { started: child, isInside } = startInGroup(
      command.groups ?? { inside: [], back: [] },
      () => {
        // Going into a control group may take a while that is not the program's.
        clock.startedNs = process.hrtime.bigint();
        // Some failures are thrown here, others come as an event.
        return spawn(program, args, {
          cwd: command.cwd,
          env: { ...command.env },
          detached: true,
          stdio: [stdin, command.stdoutFd, command.stderrFd],
        });
      },
    );
    child.once('error', reject);
    if (child.pid !== undefined) resolve({ child: child as Started, isGrouped: isInside });
  });
}

type ProgramEnd = Pick<GroupEnd, 'exit' | 'signal' | 'timedOut' | 'outputLimited' | 'stalled'>;

function endOf(child: Started, command: GroupCommand): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const { pid } = child;
    running.add(pid);
    const limits = { timedOut: false, outputLimited: false, stalled: false };
    let killTimer: NodeJS.Timeout | undefined;
    const endAt = (limit: keyof typeof limits): void => {
      if (killTimer !== undefined) return;
      limits[limit] = true;
      signalGroup(pid, 'SIGTERM');
      killTimer = setTimeout(() => {
        signalGroup(pid, 'SIGKILL');
      }, command.killGraceMs);
    };
    const termTimer = setTimeout(
      () => {
        endAt('timedOut');
      },
      Math.min(command.timeoutMs, LONGEST_TIMER_MS),
    );
    const outputTimer = setInterval(() => {
      const isOver = outputBytes(command) > command.outputLimitBytes;
      if (isOver || command.isOverLimit?.() === true) endAt('outputLimited');
      else if (command.isStalled?.() === true) endAt('stalled');
    }, OUTPUT_POLL_MS);
    child.once('exit', (exit, signal) => {
      clearTimeout(termTimer);
      clearTimeout(killTimer);
      clearInterval(outputTimer);
      signalGroup(pid, 'SIGKILL');
      running.delete(pid);
      if (!isEnding) resolve({ exit, signal, ...limits });
    });
  });
}

type Output = Pick<GroupCommand, 'stdoutFd' | 'stderrFd' | 'outputLimitBytes'>;

function outputBytes({ stdoutFd, stderrFd }: Output): number {
  const files = [stdoutFd, stderrFd].map((fd) => fstatSync(fd));
  const [out, err] = files;
  if (out === undefined || err === undefined) return 0;
  return out.ino === err.ino && out.dev === err.dev ? out.size : out.size + err.size;
}

/** Takes what was written past the limit off the disk again. */
export function trimOutput({ stdoutFd, stderrFd, outputLimitBytes }: Output): void {
  for (const fd of new Set([stdoutFd, stderrFd])) {
    if (fstatSync(fd).size > outputLimitBytes) ftruncateSync(fd, outputLimitBytes);
  }
}

function secondsSince(startedNs: bigint): number {
  return Number(process.hrtime.bigint() - startedNs) / 1e9;
}

/** For a program that is itself about to end: after this nothing is started, and nobody hears of an end. */
export function killRunningGroups(): void {
  isEnding = true;
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}

/** Not the program's fault: the machine has no process, memory or descriptor left. */
const EXHAUSTED = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

/** As a shell answers: 127 for a program that isn't there, 126 for one that can't be run. */
function notStarted(command: GroupCommand, error: unknown, seconds: number): GroupEnd {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (EXHAUSTED.includes(code)) throw error;
  const missing = code === 'ENOENT' || code === 'ENOTDIR';
  return {
    exit: missing ? 127 : 126,
    signal: null,
    timedOut: false,
    outputLimited: false,
    stalled: false,
    isGrouped: false,
    seconds,
    notStarted: `${command.argv[0] ?? ''}: ${missing ? 'not found' : 'cannot be run'} (${code || message})`,
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: the group is empty. EPERM: only processes of another user or zombies are left in it.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
