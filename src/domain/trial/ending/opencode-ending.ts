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
import { readErrorBody } from './error-body.js';
import {
  disconnected,
  endingOfStatus,
  endingOfText,
  loginNeeded,
  modelUnavailable,
  nothingDone,
  quota,
  quotaOfText,
  scopeOf,
  stopForMoney,
  throttled,
  type FailureReading,
} from './failure-text.js';
import { plausibleReset, windowNamed } from './plausible-reset.js';
import { resetInHeaders, type Headers } from './reset-headers.js';
import { plainText } from './reset-text.js';
import { endingWithoutEvents } from './setup-ending.js';

export interface OpencodeError {
  readonly name: string;
  readonly message: string;
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: string;
}

/** What of an `opencode run --format json` stream tells how the run ended. */
export interface OpencodeFacts {
  readonly events: number;
  /** The last `error` event. */
  readonly error: OpencodeError | null;
  /** `reason` of the last finished step. */
  readonly lastStep: string | null;
  /** A text or a tool call. */
  readonly hasEvidence: boolean;
}

/** Standard error is the log of errors (`--print-logs --log-level ERROR`): some causes are there alone. */
export function opencodeEnding(facts: OpencodeFacts, context: EndingContext): Ending {
  const reading: FailureReading = { ...context, timeOfDay: 'next', hasEvidence: facts.hasEvidence };
  const logged = loggedErrors(context.stderr);
  if (facts.error !== null) return ofError(facts.error, logged, reading);
  // It sleeps until a quota opens again, and says so nowhere else.
  const isOver = facts.lastStep === 'stop' && context.endedBy === null;
  const asleep = isOver ? null : logged.map((text) => quotaOfText(text, reading)).find(Boolean);
  if (asleep != null) return asleep;
  if (facts.events === 0) {
    return (
      (context.endedBy === null ? ofLog(logged, reading) : null) ?? endingWithoutEvents(context)
    );
  }
  if (context.endedBy === null && /auto-rejecting/.test(context.stderr)) {
    return voided('agent_setup_failed', 'stop-arm', 'arm', context.stderr);
  }
  return ofSteps(facts, context);
}

function ofSteps({ lastStep, hasEvidence }: OpencodeFacts, context: EndingContext): Ending {
  const killed = killedFromOutside(context);
  if (killed !== null) return killed;
  if (lastStep === 'content-filter') return refused();
  if (lastStep === 'length') return valid('output-limit');
  if (lastStep === 'stop') {
    return hasEvidence ? valid('completed') : nothingDone('no text and no tool call of a model');
  }
  if (context.endedBy === 'wall-clock') return valid('time-limit');
  if (context.endedBy === null && !hasEvidence) return nothingDone('no text and no tool call');
  return disconnected('the stream ended in the middle of the work', 'trial');
}

function ofError(error: OpencodeError, logged: readonly string[], reading: FailureReading): Ending {
  const { name, message } = error;
  switch (name) {
    case 'ContextOverflowError':
      return contextFull(reading.hasEvidence, message);
    case 'ContentFilterError':
      return refused();
    case 'MessageOutputLengthError':
      return valid('output-limit');
    case 'ProviderAuthError':
      return loginNeeded(message);
    case 'UnknownError':
      // The same event for a model nobody knows and a provider without a login: only the log tells.
      return ofLog(logged, reading) ?? voided('agent_setup_failed', 'stop-arm', 'arm', message);
    default:
      return ofApiError(error, reading);
  }
}

function ofApiError(error: OpencodeError, reading: FailureReading): Ending {
  const { message, status, body, headers } = error;
  const said = readErrorBody(body, reading.observedAtMs);
  const ofText = quotaOfText(message, reading);
  if (said.reason === 'quota' || ofText?.reason === 'quota') {
    if (said.needsPerson) return stopForMoney(message);
    const found = said.reset ?? resetInHeaders(headers, reading.observedAtMs);
    const reset = plausibleReset(found, windowNamed(message), reading.observedAtMs);
    if (reset !== null) return quota(message, reset, scopeOf(plainText(message)));
    return ofText?.reason === 'quota' ? ofText : quota(message, null, 'account');
  }
  if (said.reason === 'model' || status === 403) return modelUnavailable(message);
  const ofStatus = status === null ? null : endingOfStatus(status, message);
  if (ofStatus !== null) return ofStatus;
  if (said.reason === 'overload') return throttled(message);
  return endingOfText(message, reading) ?? unknownEnding(message);
}

function ofLog(logged: readonly string[], reading: FailureReading): VoidEnding | null {
  for (const text of logged) {
    const ending = endingOfText(text, reading);
    if (ending?.status === 'void') return ending;
  }
  return null;
}

/** Longer lines of the log are cut. */
const MAX_LINE_CHARS = 4000;

/** The quoted errors of log lines: `level=ERROR … error.error="AI_APICallError: …"`. */
function loggedErrors(stderr: string): readonly string[] {
  return stderr.split('\n').flatMap((line) => {
    const [, text] =
      /level=ERROR.*? error(?:\.error)?="((?:[^"\\]|\\.)*)"/.exec(line.slice(0, MAX_LINE_CHARS)) ??
      [];
    return text ?? [];
  });
}
