import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

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
}

export interface GroupEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Monotonic, from the start of the process to its exit. */
  readonly seconds: number;
  /** Why the program could not be started (`exit` is then what a shell would answer), or null. */
  readonly notStarted: string | null;
}

const running = new Set<number>();

/**
 * Runs a program in a process group of its own and waits for its exit, not for its output to be closed:
 * output goes straight to files, so neither gigabytes nor a pipe that a grandchild holds open matter.
 * At the time limit the group gets TERM, then KILL; what is left of it when the program is gone gets KILL.
 */
export async function runInGroup(command: GroupCommand): Promise<GroupEnd> {
  const stdin = command.stdinFile === null ? 'ignore' : openSync(command.stdinFile, 'r');
  const startedNs = process.hrtime.bigint();
  try {
    const child = await start(command, stdin);
    return { ...(await endOf(child, command)), seconds: secondsSince(startedNs), notStarted: null };
  } catch (error) {
    return notStarted(command, error, secondsSince(startedNs));
  } finally {
    if (typeof stdin === 'number') closeSync(stdin);
  }
}

type Started = ChildProcess & { readonly pid: number };

function start(command: GroupCommand, stdin: number | 'ignore'): Promise<Started> {
  const [program = '', ...args] = command.argv;
  return new Promise((resolve, reject) => {
    // Some failures are thrown here, others come as an event.
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: { ...command.env },
      detached: true,
      stdio: [stdin, command.stdoutFd, command.stderrFd],
    });
    child.once('error', reject);
    if (child.pid !== undefined) resolve(child as Started);
  });
}

function endOf(
  child: Started,
  command: GroupCommand,
): Promise<Pick<GroupEnd, 'exit' | 'signal' | 'timedOut'>> {
  return new Promise((resolve) => {
    const { pid } = child;
    running.add(pid);
    let timedOut = false;
    let killTimer: NodeJS.Timeout | undefined;
    const termTimer = setTimeout(
      () => {
        timedOut = true;
        signalGroup(pid, 'SIGTERM');
        killTimer = setTimeout(() => {
          signalGroup(pid, 'SIGKILL');
        }, command.killGraceMs);
      },
      Math.min(command.timeoutMs, LONGEST_TIMER_MS),
    );
    child.once('exit', (exit, signal) => {
      clearTimeout(termTimer);
      clearTimeout(killTimer);
      signalGroup(pid, 'SIGKILL');
      running.delete(pid);
      resolve({ exit, signal, timedOut });
    });
  });
}

function secondsSince(startedNs: bigint): number {
  return Number(process.hrtime.bigint() - startedNs) / 1e9;
}

/** For a program that was itself told to end. */
export function killRunningGroups(): void {
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
