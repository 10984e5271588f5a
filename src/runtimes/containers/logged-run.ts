import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { clientEnv } from './client-env.js';

export interface LoggedEnd {
  readonly ok: boolean;
  readonly timedOut: boolean;
  /** All that it wrote, in the order it came. */
  readonly output: string;
}

/** Runs an engine's client for as long as a build may take; all that it writes goes into a file as well. */
export async function runLogged(
  argv: readonly [string, ...string[]],
  options: { readonly logFile: string; readonly timeoutMs: number },
): Promise<LoggedEnd> {
  const { execa } = await import('execa');
  const [program, ...args] = argv;
  const log = createWriteStream(options.logFile, { flags: 'w', mode: 0o600 });
  const child = execa(program, args, {
    reject: false,
    all: true,
    env: clientEnv(),
    extendEnv: false,
    stdin: 'ignore',
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    // The end of it says what is wrong.
    maxBuffer: 64 * 1024 * 1024,
  });
  child.all.pipe(log);
  const result = await child;
  await finished(log);
  return { ok: !result.failed, timedOut: result.timedOut, output: result.all };
}
