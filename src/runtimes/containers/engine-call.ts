import { LlmxError } from '../../errors/llmx-error.js';
import { runCommand, type CommandResult } from '../../support/run-command.js';
import { clientEnv } from './client-env.js';
import type { EngineKind } from './engine.js';

/** Long enough for an engine that starts up or is busy; a hung one must not hang a grid. */
export const CALL_TIMEOUT_MS = 60_000;

/** What to type when an engine does not answer. */
const WAKE: Readonly<Record<EngineKind, string>> = {
  apple: 'container system start',
  docker: 'docker info',
  podman: 'podman info',
};

/** One short call of an engine's client, which never waits for longer than its time limit. */
export async function callEngine(
  argv: readonly [string, ...string[]],
  timeoutMs: number = CALL_TIMEOUT_MS,
): Promise<CommandResult> {
  return runCommand(argv, { env: clientEnv(), timeoutMs });
}

/** @throws LlmxError `engine_unreachable` unless the call went well */
export async function mustCall(
  kind: EngineKind,
  argv: readonly [string, ...string[]],
  timeoutMs: number = CALL_TIMEOUT_MS,
): Promise<string> {
  const result = await callEngine(argv, timeoutMs);
  if (result.ok) return result.stdout;
  throw unreachable(kind, reasonOf(argv[0], result, timeoutMs));
}

export function unreachable(kind: EngineKind, reason: string): LlmxError {
  return new LlmxError('engine_unreachable', { kind, reason, hint: WAKE[kind] });
}

/** Why a call failed, in one line. */
export function reasonOf(
  program: string,
  result: CommandResult,
  timeoutMs: number = CALL_TIMEOUT_MS,
): string {
  if (result.notFound) return `there is no program ${program} on PATH`;
  if (result.timedOut) return `no answer in ${Math.round(timeoutMs / 1000)} s`;
  return lastLine(result.stderr) ?? `exit ${result.exit ?? 'by a signal'}`;
}

/** Engines say what is wrong at the end. */
export function lastLine(text: string): string | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    // docker ends with where to read more.
    .filter((line) => line !== '' && !/^(See|Run) '/.test(line));
  return lines.at(-1)?.replace(/^Error:\s*/i, '') ?? null;
}
