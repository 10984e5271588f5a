import { LlmxError } from '../../../errors/llmx-error.js';
import { runCommand, type CommandResult } from '../../../support/run-command.js';
import { clientEnv } from '../client-env.js';

export const START = 'container system start';
export const RESTART = 'container system stop && container system start';

/** A look at what is there. The CLI waits for its apiserver without an end of its own. */
export const ASK_MS = 20_000;

/** A change of one container or image; a virtual machine may have to go. */
export const CHANGE_MS = 30_000;

/**
 * One short call of Apple's CLI. After its time it is killed: the CLI passes milder signals on, or waits
 * for an answer that does not come.
 */
export async function callContainer(
  args: readonly string[],
  timeoutMs: number = ASK_MS,
): Promise<CommandResult> {
  return runCommand(['container', ...args], { env: clientEnv(), timeoutMs, endWith: 'SIGKILL' });
}

/** @throws LlmxError `engine_unreachable` unless the call went well */
export async function mustContainer(
  args: readonly string[],
  timeoutMs: number = ASK_MS,
): Promise<string> {
  const result = await callContainer(args, timeoutMs);
  if (result.ok) return result.stdout;
  throw faultOf(args, result, timeoutMs);
}

/** Why a call failed, and what to type next. */
export function faultOf(
  args: readonly string[],
  result: CommandResult,
  timeoutMs: number,
): LlmxError {
  const { reason, hint } = explain(args, result, timeoutMs);
  return new LlmxError('engine_unreachable', { kind: 'apple', reason, hint });
}

export interface Explanation {
  readonly reason: string;
  readonly hint: string;
}

export function explain(
  args: readonly string[],
  result: CommandResult,
  timeoutMs: number,
): Explanation {
  if (result.notFound) {
    return {
      reason: 'Apple’s container CLI was not found',
      hint: `install container from Apple, then: ${START}`,
    };
  }
  const call = `container ${args.slice(0, 2).join(' ')}`;
  if (result.timedOut) {
    return { reason: `${call}: no answer in ${timeoutMs / 1000} s`, hint: RESTART };
  }
  if (isApiserverDown(result.stderr)) {
    return { reason: `${call}: its apiserver does not answer`, hint: START };
  }
  const said = errorIn(result.stderr) ?? `exit ${result.exit ?? 'by a signal'} without a message`;
  return { reason: `${call}: ${said}`, hint: 'container system logs --last 5m' };
}

export function isApiserverDown(stderr: string): boolean {
  return stderr.includes('XPC connection error');
}

/** Old and new versions word it differently, with or without a code before it. */
export function isNotFound(stderr: string): boolean {
  return /not ?found/i.test(stderr);
}

/** What the CLI itself complains about, which comes after all that it passed on; null when it does not. */
export function errorIn(stderr: string): string | null {
  const lines = stderr.split('\n').filter((line) => line.startsWith('Error: '));
  return lines.at(-1)?.slice('Error: '.length).trim() ?? null;
}
