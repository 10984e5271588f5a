/** A CLI that wrote no event at all, only text: it did not come so far as to ask the model. */

import { voided, type EndingContext, type VoidEnding } from './ending.js';
import { loginNeeded, nothingDone } from './failure-text.js';
import { plainText } from './reset-text.js';

const NO_SESSION = /no conversation found with session id|no rollout found|session not found/i;
const LOGIN =
  /not logged in|run \/login|log ?in again|invalid api key|login expired|token (?:has )?expired|unauthorized/i;
/** Wrong for every trial of the grid: how llmx starts the program, or as whom. */
const EVERY_TRIAL =
  /requires --|cannot be used with root|not inside a trusted directory|invalid mcp configuration|unknown (?:option|argument)|unexpected argument|unrecognized (?:option|argument)/i;

export function hasNoSession(text: string): boolean {
  return NO_SESSION.test(text);
}

/** A session to go on with is gone; a fresh one works. */
export function noSession(text: string): VoidEnding {
  return voided('agent_setup_failed', 'retry', 'trial', text);
}

export function endingWithoutEvents({ stderr, exit, endedBy }: EndingContext): VoidEnding {
  if (endedBy !== null) {
    // Quota, standard input or start-up: the account has to be asked before the next trial.
    return voided('nothing_done', 'probe', 'account', stderr.trim() || 'no event before the limit');
  }
  if (exit === 126 || exit === 127) return voided('agent_not_runnable', 'stop-arm', 'arm', stderr);
  const text = plainText(stderr).trim();
  if (text === '') return nothingDone('no event and no message');
  if (NO_SESSION.test(text)) return noSession(stderr);
  if (LOGIN.test(text)) return loginNeeded(stderr);
  return EVERY_TRIAL.test(text)
    ? voided('agent_setup_failed', 'stop-grid', 'grid', stderr)
    : voided('agent_setup_failed', 'stop-arm', 'arm', stderr);
}
