import type { ChildProcess } from 'node:child_process';
import type { SandboxCommand } from '../runtime.js';

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How much of the client's error output is kept: an engine says what is wrong at the end. */
const STDERR_KEPT = 4_096;

export interface ClientEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The container was ended from here, at its deadline or because it was told to. */
  readonly wasEnded: boolean;
  /** The end of its error output. */
  readonly stderr: string;
}

/**
 * Waits for the client of a foreground container. At the deadline, or when it is told to, its stdin is
 * closed, so that the program in it ends what it started; what is not gone after the grace is killed.
 */
export function clientEnd(
  client: ChildProcess,
  command: SandboxCommand,
  kill: () => Promise<void>,
): Promise<ClientEnd> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let ending: NodeJS.Timeout | null = null;
    let stderr = '';
    const endNow = (): void => {
      if (ending !== null) return;
      client.stdin?.end();
      ending = setTimeout(() => {
        kill().catch(reject);
      }, command.killGraceMs);
    };
    const deadline = setTimeout(
      () => {
        timedOut = true;
        endNow();
      },
      Math.min(command.timeoutMs, LONGEST_TIMER_MS),
    );
    client.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      stderr = (stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    const finish = (exit: number | null, signal: string | null): void => {
      clearTimeout(deadline);
      if (ending !== null) clearTimeout(ending);
      command.signal.removeEventListener('abort', endNow);
      resolve({ exit, signal, timedOut, wasEnded: ending !== null, stderr });
    };
    client.once('error', (error) => {
      stderr = error.message;
      finish(127, null);
    });
    client.once('close', finish);
    command.signal.addEventListener('abort', endNow, { once: true });
    if (command.signal.aborted) endNow();
  });
}
