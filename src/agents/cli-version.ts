import { tmpdir } from 'node:os';
import { isPaidKind, type AgentKind } from '../domain/experiment/experiment.js';
import type { Environment } from '../support/paths.js';
import { runCommand } from '../support/run-command.js';

/** opencode needs more than half a second on a machine that does nothing else. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * What the agent's own program on this machine says it is; null where there is none, or it gives no answer. An
 * image has a list of its own, written when it was built.
 */
export async function installedVersion(
  kind: AgentKind,
  { PATH = '' }: Environment,
): Promise<string | null> {
  if (!isPaidKind(kind)) return null;
  // Not the home of the person who asks: a program may write there, or read its settings.
  const env = { PATH, HOME: tmpdir() };
  const { ok, stdout } = await runCommand([kind, '--version'], {
    env,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  return ok ? versionIn(stdout) : null;
}

/** The first number with dots of what a program says of itself. */
export function versionIn(text: string): string | null {
  return /\d+(?:\.\d+)+[\w.-]*/.exec(text)?.[0] ?? null;
}

/**
 * How the agent's program differs from its pin, in words for a reader; null where it does not, or nobody has
 * pinned it. A pin may leave the end of a version out.
 */
export function pinProblem(
  kind: AgentKind,
  pins: Readonly<Record<string, string>>,
  versions: Readonly<Record<string, string>>,
): string | null {
  const pinned = pins[kind];
  if (!isPaidKind(kind) || pinned === undefined) return null;
  const found = versions[kind];
  if (found === undefined) return `${kind} is pinned to ${pinned}, but its version is not known`;
  const isPinned = found === pinned || found.startsWith(`${pinned}.`);
  return isPinned ? null : `${kind} is pinned to ${pinned}, but ${found} is installed`;
}
