import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { OUTPUT_LIMIT_BYTES } from '../../domain/trial/limits.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { runInGroup, type GroupEnd } from '../../runtimes/run-in-group.js';

/** Installing dependencies may compile them. */
const SETUP_TIMEOUT_MS = 30 * 60_000;
const KILL_GRACE_MS = 5_000;
const STDOUT = 1;

/** What an installer needs of the host: itself, its cache, a proxy. Tokens and agents' settings stay out. */
const ALLOWED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TMPDIR|(https?|no)_proxy|(HTTPS?|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

export interface SetupRun {
  readonly app: string;
  readonly command: string;
  readonly cwd: string;
  /** Null: what it prints goes where this process prints. */
  readonly logFile: string | null;
  /** Whole environment, but for what says that nobody is there. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws LlmxError `app_setup_failed` */
export async function runSetup(run: SetupRun): Promise<void> {
  const fd = run.logFile === null ? STDOUT : openLog(run.logFile);
  try {
    const end = await runInGroup({
      // No login shell: a profile would replace the PATH that the trials get.
      argv: ['bash', '-c', run.command],
      // Nobody is there to answer a question.
      env: { ...run.env, CI: 'true', GIT_TERMINAL_PROMPT: '0' },
      cwd: run.cwd,
      stdinFile: null,
      stdoutFd: fd,
      stderrFd: fd,
      timeoutMs: SETUP_TIMEOUT_MS,
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
      killGraceMs: KILL_GRACE_MS,
    });
    if (end.exit === 0 && !end.timedOut) return;
    throw new LlmxError('app_setup_failed', {
      app: run.app,
      how: endedHow(end),
      logFile: run.logFile ?? 'the output',
    });
  } finally {
    if (fd !== STDOUT) closeSync(fd);
  }
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, 'w', 0o600);
}

/** The part of the host's environment that an installer may see. */
export function harmlessEnv(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && ALLOWED.test(name)) kept[name] = value;
  }
  return kept;
}

function endedHow(end: GroupEnd): string {
  if (end.timedOut) return 'ran out of time';
  if (end.outputLimited) return `wrote more than ${OUTPUT_LIMIT_BYTES / 1024 ** 2} MiB`;
  return end.notStarted ?? `exit ${end.exit ?? end.signal ?? '?'}`;
}
