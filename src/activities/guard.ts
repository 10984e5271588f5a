import {
  ApplicationFailure,
  CancelledFailure,
  activityInfo,
  heartbeat,
} from '@temporalio/activity';
import { ERROR_TABLE } from '../errors/table.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isDiskFull } from '../support/file-faults.js';
import { hidePaths, hidePathsIn, type HiddenPath } from '../support/hide-paths.js';

/** After this many tries an error nobody foresaw is not going to mend itself. */
const MAX_UNEXPECTED_ATTEMPTS = 5;

type Activity<I, O> = (input: I) => Promise<O>;

/**
 * Keeps host paths and stack traces out of history: errors become failures with a type of the error
 * table, and every string of the result is cleaned. Heartbeats while the activity runs.
 * @param hidden - folders of this host to be replaced, per input
 */
export function guarded<I, O>(
  activity: Activity<I, O>,
  hidden: (input: NoInfer<I>) => Promise<readonly HiddenPath[]>,
): Activity<I, O> {
  return async (input) => {
    const alive = setInterval(() => {
      heartbeat();
    }, 5_000);
    const folders = await hidden(input).catch(() => []); // the activity itself will say what is wrong
    try {
      return hidePathsIn(await activity(input), folders);
    } catch (error) {
      throw asFailure(error, folders);
    } finally {
      clearInterval(alive);
    }
  };
}

export function asFailure(error: unknown, hidden: readonly HiddenPath[]): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (error instanceof LlmxError) {
    return ApplicationFailure.create({
      type: error.code,
      message: hidePaths(error.message, hidden),
      nonRetryable: ERROR_TABLE[error.code].retry === 'never',
      details: [error.hint === null ? null : hidePaths(error.hint, hidden)],
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  if (isDiskFull(error)) return asFailure(new LlmxError('no_space', { where: reason }), hidden);
  return ApplicationFailure.create({
    type: 'unexpected',
    message: hidePaths(reason.split('\n', 1)[0] ?? '', hidden),
    nonRetryable: activityInfo().attempt >= MAX_UNEXPECTED_ATTEMPTS,
  });
}
