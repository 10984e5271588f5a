import {
  contextFull,
  killedFromOutside,
  refused,
  unknownEnding,
  valid,
  type Ending,
  type EndingContext,
  type Reset,
} from './ending.js';
import { readErrorBody } from './error-body.js';
import {
  disconnected,
  endingOfStatus,
  endingOfText,
  modelUnavailable,
  neverAnswered,
  nothingDone,
  overloaded,
  quota,
  quotaOfText,
  throttled,
  type FailureReading,
} from './failure-text.js';
import { plausibleReset } from './plausible-reset.js';
import { endingWithoutEvents } from './setup-ending.js';

/** A window of the account as codex's session file tells it. */
export interface CodexWindow {
  readonly usedPercent: number;
  readonly windowMinutes: number | null;
  readonly resetAtMs: number | null;
}

/** What codex's session file (`rollout-*.jsonl`) adds; it is not there after `--ephemeral`. */
export interface CodexSession {
  /** `codex_error_info`: a word, or the key of an object. */
  readonly errorInfo: string | null;
  /** `http_status_code` inside it. */
  readonly errorStatus: number | null;
  /** The last windows that were not null. */
  readonly windows: readonly CodexWindow[];
}

export const NO_SESSION_FILE: CodexSession = { errorInfo: null, errorStatus: null, windows: [] };

/** What of a `codex exec --json` stream tells how the run ended. */
export interface CodexFacts {
  readonly events: number;
  /** The last word about a turn. */
  readonly turn: 'completed' | 'failed' | null;
  /** Message of the last failed turn. */
  readonly failure: string;
  /** The last `error` event, when nothing but such came after it; null otherwise. */
  readonly openError: string | null;
  readonly hasRetried: boolean;
  /** A message, a command, a change or another call. */
  readonly hasEvidence: boolean;
  /** A model began to answer, be it with a thought alone. */
  readonly hasModelCall: boolean;
}

/** The last event about a turn decides, not the exit code; the session file before the sentence. */
export function codexEnding(
  facts: CodexFacts,
  session: CodexSession,
  context: EndingContext,
): Ending {
  if (facts.events === 0) return endingWithoutEvents(context);
  const reading: FailureReading = {
    ...context,
    timeOfDay: 'same-day',
    hasEvidence: facts.hasEvidence,
  };
  if (facts.turn === 'completed') return ofCompletedTurn(facts, session, reading);
  if (facts.turn === 'failed') return ofFailedTurn(facts.failure, session, reading);
  const killed = killedFromOutside(context);
  if (killed !== null) return killed;
  if (facts.openError !== null) {
    return endingOfText(facts.openError, reading) ?? disconnected(facts.openError);
  }
  if (context.endedBy === 'wall-clock') {
    return facts.hasModelCall ? valid('time-limit') : neverAnswered();
  }
  return disconnected('the stream ended in the middle of a turn', 'trial');
}

function ofCompletedTurn(
  { hasEvidence, hasRetried }: CodexFacts,
  session: CodexSession,
  { observedAtMs }: FailureReading,
): Ending {
  if (hasEvidence) return valid('completed', hasRetried ? ['retried'] : []);
  // A used-up account may answer with an empty turn and exit code 0.
  const isUsedUp = session.windows.some(({ usedPercent }) => usedPercent >= 100);
  const text = 'a turn without a message and without a call';
  return isUsedUp
    ? quota(text, resetOfSession(session, observedAtMs), 'account')
    : nothingDone(text);
}

function ofFailedTurn(text: string, session: CodexSession, reading: FailureReading): Ending {
  switch (session.errorInfo) {
    case 'cyber_policy':
    case 'invalid_prompt':
      return refused();
    case 'context_window_exceeded':
      return contextFull(reading.hasEvidence, text);
    case 'model_not_found':
      return modelUnavailable(text);
    case 'server_overloaded':
      return overloaded(text);
    case 'rate_limit_exceeded':
      return throttled(text);
    case 'usage_limit_exceeded':
      return ofUsedUpAccount(text, session, reading);
    default:
  }
  const { errorStatus } = session;
  const ofStatus = errorStatus === null ? null : endingOfStatus(errorStatus, text);
  if (ofStatus !== null) return ofStatus;
  const body = readErrorBody(text, reading.observedAtMs);
  if (body.reason === 'quota' && !body.needsPerson) return quota(text, body.reset, 'account');
  const ofText = endingOfText(text, reading) ?? unknownEnding(text);
  const isUsedUp = ofText.status === 'void' && ofText.reason === 'quota';
  return isUsedUp ? ofUsedUpAccount(text, session, reading) : ofText;
}

/** The one word stands for a full window, for missing money and for a plan without codex. */
function ofUsedUpAccount(text: string, session: CodexSession, reading: FailureReading): Ending {
  const ofText = quotaOfText(text, reading);
  if (ofText !== null && ofText.resume !== 'probe') return ofText;
  const reset = resetOfSession(session, reading.observedAtMs);
  return quota(text, reset, ofText?.scope === 'model' ? 'model' : 'account');
}

/** The latest reset of the full windows; how long a window is says its length, not its place. */
function resetOfSession({ windows }: CodexSession, observedAtMs: number): Reset | null {
  const times = windows.flatMap(({ usedPercent, windowMinutes, resetAtMs }) => {
    if (usedPercent < 100 || resetAtMs === null) return [];
    const window = windowMinutes !== null && windowMinutes <= 300 ? 'five-hour' : 'week';
    const reset = { atMs: resetAtMs, precision: 'second' } as const;
    return plausibleReset(reset, window, observedAtMs)?.atMs ?? [];
  });
  return times.length === 0 ? null : { atMs: Math.max(...times), precision: 'second' };
}
