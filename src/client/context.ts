import type { Writable } from 'node:stream';

/** What a command may touch of the process it runs in. */
export interface CliContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results only. */
  readonly stdout: Writable;
  /** Progress, notes, warnings, errors. */
  readonly stderr: Writable;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  readonly stdinIsTty: boolean;
}

export function processContext(cwd: string = process.cwd()): CliContext {
  return {
    cwd,
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    stdoutIsTty: process.stdout.isTTY === true,
    stderrIsTty: process.stderr.isTTY === true,
    stdinIsTty: process.stdin.isTTY === true,
  };
}
