import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isErrno } from '../support/atomic-file.js';
import { endMarked, type MarkQuery } from './marked-processes.js';
import type { SandboxCommand, SandboxEnd } from './runtime.js';

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long a command that was stopped stands still. */
const CONTINUE_MS = 1_000;

type CommandEnd = Pick<SandboxEnd, 'exit' | 'signal' | 'timedOut'>;

/** Waits for the command; at its deadline, or when it is told to end, it is ended with all it started. */
export function endOf(
  child: ChildProcess,
  command: SandboxCommand,
  query: MarkQuery,
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let ending: Promise<unknown> | null = null;
    const endNow = (): void => {
      ending ??= endMarked(query, command.killGraceMs).catch(reject);
    };
    const timer = setTimeout(
      () => {
        timedOut = true;
        endNow();
      },
      Math.min(command.timeoutMs, LONGEST_TIMER_MS),
    );
    const ticker = setInterval(() => {
      continueStopped(child.pid);
    }, CONTINUE_MS);
    const finish = async (exit: number | null, signal: string | null): Promise<void> => {
      clearTimeout(timer);
      clearInterval(ticker);
      command.signal.removeEventListener('abort', endNow);
      // The program may go at TERM at once: the agent below it still has its grace.
      await ending;
      resolve({ exit, signal, timedOut });
    };
    child.once('error', () => void finish(127, null)); // the shell is gone, or the folder
    child.once('exit', (exit, signal) => void finish(exit, signal));
    command.signal.addEventListener('abort', endNow, { once: true });
    if (command.signal.aborted) endNow();
  });
}

/** The program keeps the agent's deadline; an agent that stops it must not win time by that. */
function continueStopped(pid: number | undefined): void {
  if (pid === undefined || !isStopped(pid)) return;
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error; // ended in between
  }
}

function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false; // gone
  }
}
