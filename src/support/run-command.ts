export interface CommandOptions {
  readonly cwd?: string;
  /** Whole environment of the program; nothing is inherited when given. */
  readonly env?: Readonly<Record<string, string>>;
  /** @defaultValue 60 000 */
  readonly timeoutMs?: number;
  readonly stdin?: string;
  /** At the time limit. @defaultValue TERM, and KILL two seconds later */
  readonly endWith?: 'SIGKILL';
}

/** One shape for success and failure; the reason is in the flags. */
export interface CommandResult {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The program itself could not be started. */
  readonly notFound: boolean;
  readonly ok: boolean;
}

/**
 * Runs a short host command (git, docker, df) to its end. Never throws for what the command did.
 * Agents and tests are not run with this: they need a process group of their own.
 */
export async function runCommand(
  argv: readonly [string, ...string[]],
  options: CommandOptions = {},
): Promise<CommandResult> {
  // Loaded when first needed: it takes as long as a whole `--help`.
  const { execa } = await import('execa');
  const [program, ...args] = argv;
  const result = await execa(program, args, {
    reject: false,
    stripFinalNewline: false,
    timeout: options.timeoutMs ?? 60_000,
    forceKillAfterDelay: 2_000,
    ...(options.endWith === undefined ? {} : { killSignal: options.endWith }),
    maxBuffer: 64 * 1024 * 1024,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env, extendEnv: false }),
    ...(options.stdin === undefined ? { stdin: 'ignore' as const } : { input: options.stdin }),
  });
  return {
    exit: result.exitCode ?? null,
    stdout: result.stdout ?? '',
    stderr: result.stderr ?? '',
    timedOut: result.timedOut,
    notFound: result.code === 'ENOENT',
    ok: !result.failed,
  };
}
