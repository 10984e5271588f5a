/** What the sentences of CLIs and providers mean. Only for error channels: agents print such sentences too. */

import {
  contextFull,
  refused,
  valid,
  voided,
  type Ending,
  type EndingContext,
  type Reset,
  type VoidEnding,
} from './ending.js';
import { plausibleReset, windowNamed, type LimitWindow } from './plausible-reset.js';
import { plainText, resetInText } from './reset-text.js';

export interface FailureReading extends Pick<EndingContext, 'observedAtMs' | 'timeZone'> {
  readonly timeOfDay: 'next' | 'same-day';
  /** The model had answered or called a tool. */
  readonly hasEvidence: boolean;
}

const NOT_QUOTA = /not your usage limit/i;
const REFUSED =
  /content[_ ]filter|violat\w+ our usage policy|(?:flagged|blocked) (?:this message|as potentially)|safeguards flagged/i;
const CONTEXT = /prompt is too long|context window|input exceeds the context/i;
const OUTPUT = /output token maximum|max_output_tokens/i;
/** A person has to pay, or to raise a limit. */
const MONEY =
  /credit balance is too low|out of (?:usage )?credits|out of extra usage|org is out of usage|spend (?:cap|limit)|insufficient_quota|current quota|check your plan and billing|billing cycle|api usage limits|monthly usage limit|limit is set to \$0|seat type doesn't include|allocation has been disabled|insufficient balance/i;
const NOT_ENTITLED =
  /to use codex with your chatgpt plan|usage credits required|requires usage credits|not available with the .{1,40} plan|model is not supported/i;
const QUOTA =
  /you've (?:hit|reached) your (?:(?!rate)[^.·|])*limit|usage limit|usage quota|(?:5-hour|session|daily|weekly|opus|sonnet) limit (?:reached|exceeded)|usage exceeded/i;
const ONE_MODEL =
  /usage limit for .{1,80}\. switch to another model|\b(?:opus|sonnet|haiku|fable)\b[^·|]* limit/i;
const MODEL =
  /issue with the selected model|model .{0,80}(?:does not exist|not found)|permission to use the specified model|access to (?:the )?model|modelnotfound/i;
const LOGIN =
  /not logged in|run \/login|log ?in again|sign in again|failed to authenticate|invalid (?:api key|bearer token)|incorrect api key|login expired|oauth (?:token|session)|token could not be refreshed|disabled claude subscription|missing bearer|\b401 unauthorized|unauthenticated/i;
const THROTTLED = /rate limit|too many requests|request rejected \(429\)/i;
const OVERLOADED = /overloaded|at capacity|high demand|service unavailable|bad gateway/i;
const NETWORK =
  /response above may be incomplete|can't reach the api|request timed out|stream disconnected|(?:cannot|unable to) connect|connection (?:dropped|failed|closed|reset|error|refused)|econn|eai_again|enotfound|etimedout|waiting for network|socket hang up|fetch failed/i;

/** Null when a sentence is not known. The first rule that fits decides; their order is part of them. */
export function endingOfText(said: string, reading: FailureReading): Ending | null {
  const text = plainText(said);
  if (NOT_QUOTA.test(text)) return throttled(said);
  if (REFUSED.test(text)) return refused();
  if (CONTEXT.test(text)) return contextFull(reading.hasEvidence, said);
  if (OUTPUT.test(text)) return valid('output-limit');
  const quota = quotaOfText(said, reading);
  if (quota !== null) return quota;
  if (MODEL.test(text)) return modelUnavailable(said);
  if (LOGIN.test(text)) return loginNeeded(said);
  const status = statusIn(text);
  if (status !== null) return endingOfStatus(status, said);
  if (OVERLOADED.test(text)) return overloaded(said);
  if (THROTTLED.test(text)) return throttled(said);
  return NETWORK.test(text) ? disconnected(said) : null;
}

/** Null when the sentence is about no limit of the account, and about no right to use the model. */
export function quotaOfText(said: string, reading: FailureReading): VoidEnding | null {
  const text = plainText(said);
  if (NOT_QUOTA.test(text)) return null;
  if (MONEY.test(text)) return moneyOfText(said, reading);
  if (NOT_ENTITLED.test(text)) {
    const isPlan = /chatgpt plan/i.test(text);
    return { ...modelUnavailable(said), scope: isPlan ? 'account' : 'model' };
  }
  return QUOTA.test(text) ? quota(said, resetOf(said, reading), scopeOf(text)) : null;
}

/** A window of the plan may open before anybody pays; a date that a person set is only told. */
function moneyOfText(said: string, reading: FailureReading): VoidEnding {
  const regained = /regain access/i.test(said);
  const reset = regained ? textReset(said, reading, 'month') : resetOf(said, reading);
  return reset === null || regained
    ? { ...stopForMoney(said), reset }
    : quota(said, reset, scopeOf(said));
}

function resetOf(said: string, reading: FailureReading): Reset | null {
  return textReset(said, reading, windowNamed(said));
}

function textReset(said: string, reading: FailureReading, window: LimitWindow): Reset | null {
  return plausibleReset(resetInText(said, reading), window, reading.observedAtMs);
}

/** Whose trials a limit stops: those of one model, when it is that model's own. */
export function scopeOf(text: string): 'model' | 'account' {
  return ONE_MODEL.test(text) ? 'model' : 'account';
}

/** Used up until the reset; without one, somebody has to try. */
export function quota(text: string, reset: Reset | null, scope: 'model' | 'account'): VoidEnding {
  return { ...voided('quota', reset === null ? 'probe' : 'wait', scope, text), reset };
}

export function stopForMoney(text: string): VoidEnding {
  return voided('quota', 'stop-grid', 'account', text);
}

export function modelUnavailable(text: string): VoidEnding {
  return voided('model_unavailable', 'stop-arm', 'model', text);
}

export function loginNeeded(text: string): VoidEnding {
  return voided('login', 'stop-grid', 'account', text);
}

/** Too many requests of this account at once. */
export function throttled(text: string): VoidEnding {
  return voided('overload', 'retry', 'account', text);
}

export function overloaded(text: string): VoidEnding {
  return voided('overload', 'retry', 'provider', text);
}

export function disconnected(text: string, scope: 'host' | 'trial' = 'host'): VoidEnding {
  return voided('network', 'retry', scope, text);
}

export function nothingDone(text: string): VoidEnding {
  return voided('nothing_done', 'retry', 'trial', text);
}

/** The time was over before a model began to answer: the account has to be asked before the next trial. */
export function neverAnswered(): VoidEnding {
  return voided('nothing_done', 'probe', 'account', 'no model answered before the limit');
}

/** `unexpected status 401 Unauthorized`, `last status: 429`, `API Error: 529 Overloaded` */
function statusIn(text: string): number | null {
  const [, status] = /(?:status:? |api error: )([45]\d\d)\b/i.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}

/** What an HTTP status means by itself; null when it may mean anything. */
export function endingOfStatus(status: number, text: string): VoidEnding | null {
  switch (status) {
    case 401:
    case 403:
      return loginNeeded(text);
    case 402:
      return stopForMoney(text);
    case 404:
      return modelUnavailable(text);
    case 408:
      return disconnected(text);
    case 429:
      return throttled(text);
    default:
      return status >= 500 ? overloaded(text) : null;
  }
}
