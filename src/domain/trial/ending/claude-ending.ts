import {
  contextFull,
  killedFromOutside,
  refused,
  unknownEnding,
  valid,
  voided,
  type Ending,
  type EndingContext,
  type VoidEnding,
} from './ending.js';
import {
  disconnected,
  endingOfStatus,
  endingOfText,
  loginNeeded,
  modelUnavailable,
  neverAnswered,
  nothingDone,
  overloaded,
  quotaOfText,
  stopForMoney,
  throttled,
  type FailureReading,
} from './failure-text.js';
import { isRefused, quotaOfWindows, type RateLimit } from './claude-limits.js';
import { endingWithoutEvents, hasNoSession, noSession } from './setup-ending.js';

/** An error as claude types it; the texts are in none of these fields. */
export interface ClaudeError {
  /** HTTP status. */
  readonly status: number | null;
  /** `error`: authentication_failed, rate_limit, … */
  readonly kind: string | null;
  /** `api_error`: usage_limit_reached, connection_failed, … An open set. */
  readonly apiError: string | null;
}

export interface ClaudeResult {
  readonly subtype: string | null;
  readonly isError: boolean;
  readonly terminalReason: string | null;
  readonly stopReason: string | null;
  /** `result`, or else the first of `errors`. */
  readonly text: string;
  readonly error: ClaudeError;
}

/** What of a claude transcript tells how the run ended. */
export interface ClaudeFacts {
  readonly events: number;
  /** A tool call or a text of a real model. */
  readonly hasEvidence: boolean;
  /** A model began to answer, be it with a thought alone. */
  readonly hasModelCall: boolean;
  readonly result: ClaudeResult | null;
  /** The last error that was written as an answer of the assistant. */
  readonly failure: { readonly error: ClaudeError; readonly text: string } | null;
  /** The retry that was going on when the stream ended; null when anything came after it. */
  readonly openRetry: ClaudeError | null;
  readonly hasRetried: boolean;
  /** The last refusal of a window of the plan. */
  readonly rejected: RateLimit | null;
  /** The last state of the plan's windows, whatever it was. */
  readonly limit: RateLimit | null;
  /** Another model went on after a refusal: what happened, in words. */
  readonly swapped: string | null;
  readonly wasRefused: boolean;
  /** The CLI told the model to stop because a window is nearly used up. */
  readonly wrapUp: string | null;
}

const NEARLY_USED_UP = 0.9;

/** Typed fields before texts, and texts of error channels only; what nobody knows is void. */
export function claudeEnding(facts: ClaudeFacts, context: EndingContext): Ending {
  if (facts.events === 0) return endingWithoutEvents(context);
  const reading: FailureReading = {
    ...context,
    timeOfDay: 'next',
    hasEvidence: facts.hasEvidence,
  };
  const { result, failure } = facts;
  if (result === null) {
    const killed = killedFromOutside(context);
    if (killed !== null) return killed;
  }
  const said = result?.isError === true ? result.text : (failure?.text ?? '');
  if (facts.rejected !== null && isRefused(facts.rejected)) {
    return quotaOfWindows(facts.rejected, said, reading);
  }
  if (facts.wrapUp !== null) return quotaOfWindows(facts.limit, facts.wrapUp, reading);
  if (result === null) return withoutResult(facts, context, reading);
  if (result.isError || result.subtype !== 'success') return ofFailedResult(result, facts, reading);
  return ofSuccess(result, facts);
}

function ofSuccess(result: ClaudeResult, facts: ClaudeFacts): Ending {
  if (facts.swapped !== null) return voided('model_differs', 'retry', 'trial', facts.swapped);
  if (!facts.hasEvidence) return nothingDone('no text and no tool call of a model');
  if (result.stopReason === 'tool_use') {
    return disconnected('it stopped in the middle of a tool call', 'trial');
  }
  const isNear = (facts.limit?.utilization ?? 0) >= NEARLY_USED_UP;
  return valid('completed', [
    ...(facts.hasRetried ? (['retried'] as const) : []),
    ...(isNear ? (['quota-near'] as const) : []),
  ]);
}

function ofFailedResult(result: ClaudeResult, facts: ClaudeFacts, reading: FailureReading): Ending {
  const { text, error } = result;
  if (result.subtype === 'error_max_turns') return valid('turn-limit');
  if (result.subtype === 'error_max_budget_usd') return valid('budget-limit');
  if (facts.wasRefused || result.stopReason === 'refusal') return refused();
  if (hasNoSession(text)) return noSession(text);
  switch (result.terminalReason) {
    case 'max_turns':
      return valid('turn-limit');
    case 'budget_exhausted':
      return valid('budget-limit');
    case 'prompt_too_long':
      return contextFull(facts.hasEvidence, text);
    case 'turn_setup_failed':
      return voided('agent_setup_failed', 'stop-arm', 'arm', text);
    case 'blocking_limit':
      // Some read this as a usage limit: it is one of the context.
      return quotaOfText(text, reading) ?? contextFull(facts.hasEvidence, text);
    default:
      return ofError(error, text, reading);
  }
}

/** A run that was ended, or broke off, before its result. */
function withoutResult(
  facts: ClaudeFacts,
  { endedBy }: EndingContext,
  reading: FailureReading,
): Ending {
  // A retry without a status never reached the server.
  if (facts.openRetry !== null) {
    return (
      ofTyped(facts.openRetry, '', reading) ?? disconnected(facts.openRetry.kind ?? 'no answer')
    );
  }
  if (facts.failure !== null) return ofError(facts.failure.error, facts.failure.text, reading);
  if (endedBy === 'wall-clock') return facts.hasModelCall ? valid('time-limit') : neverAnswered();
  if (endedBy === 'stall') return disconnected('nothing came for too long', 'trial');
  return disconnected('the stream ended without a result', 'trial');
}

const API_ERRORS: Readonly<Record<string, (text: string) => VoidEnding>> = {
  connection_failed: disconnected,
  stream_idle_timeout: disconnected,
  computer_slept: disconnected,
  no_response: disconnected,
  network_edge_blocked: disconnected,
  empty_completion: nothingDone,
  model_requires_usage_credits: modelUnavailable,
  long_context_credits_required: modelUnavailable,
  stored_login_refused: loginNeeded,
  gateway_signin_required: loginNeeded,
  gateway_session_expired: loginNeeded,
  api_key_auth_disabled: loginNeeded,
  org_disabled_credential: loginNeeded,
  claude_code_version_too_old: (text) => voided('agent_setup_failed', 'stop-grid', 'grid', text),
};

const ERROR_KINDS: Readonly<Record<string, (text: string) => VoidEnding>> = {
  billing_error: stopForMoney,
  model_not_found: modelUnavailable,
  oauth_org_not_allowed: loginNeeded,
  account_on_hold: loginNeeded,
  verification_required: loginNeeded,
  cloud_credential_error: loginNeeded,
  overloaded,
};

function ofError(error: ClaudeError, text: string, reading: FailureReading): Ending {
  const typed = ofTyped(error, text, reading);
  if (typed !== null) return typed;
  return error.kind === 'server_error' ? overloaded(text) : unknownEnding(text);
}

/** Null when neither the fields nor the sentence say what it was. */
function ofTyped(error: ClaudeError, text: string, reading: FailureReading): Ending | null {
  const { apiError, kind, status } = error;
  const typed = lookUp(API_ERRORS, apiError) ?? lookUp(ERROR_KINDS, kind);
  if (typed !== null) return typed(text);
  if (apiError === 'max_output_tokens' || kind === 'max_output_tokens') return outputLimit(text);
  if (apiError === 'message_over_context_limit') return contextFull(reading.hasEvidence, text);
  if (apiError === 'safety_monitor_blocked') return refused();
  if (apiError === 'usage_limit_reached') return quotaOfWindows(null, text, reading);
  // 403 and "authentication failed" are printed for three different things.
  const ofText = text === '' ? null : endingOfText(text, reading);
  if (ofText !== null) return ofText;
  if (kind === 'authentication_failed') return loginNeeded(text || kind);
  if (kind === 'rate_limit') return throttled(text || kind);
  return status === null ? null : endingOfStatus(status, text || `status ${status}`);
}

/** Both limits end an answer in the same way; the sentence tells them apart. */
function outputLimit(text: string): Ending {
  return valid(/context window/i.test(text) ? 'context-limit' : 'output-limit');
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string | null): Value | null {
  return key !== null && Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}
