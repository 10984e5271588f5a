/** How the run of a coding agent ended, and what a grid does about it. */

import type { VoidReason } from '../outcome.js';

/** An ending that is the agent's own doing. */
export type AgentOutcome =
  | 'completed'
  | 'turn-limit'
  | 'budget-limit'
  | 'time-limit'
  | 'context-limit'
  | 'output-limit'
  | 'refused';

/** `retried`: the CLI got over an API error. `quota-near`: the next trial may not fit. */
export type EndingFlag = 'retried' | 'quota-near' | 'refusal';

/**
 * What to do about a void ending. `retry`: again after a pause that grows. `wait`: again at a known time.
 * `probe`: again after a pause that grows, because nobody said when. `stop-arm`: not this agent with this
 * model again. `stop-grid`: a person has to act.
 */
export type ResumeKind = 'retry' | 'wait' | 'probe' | 'stop-arm' | 'stop-grid';

/** Whose trials the cause concerns. */
export type PauseScope =
  'trial' | 'task' | 'arm' | 'model' | 'account' | 'provider' | 'host' | 'grid';

/** When a limit ends, as far as somebody said so. */
export interface Reset {
  readonly atMs: number;
  /** `minute`: rounded down, so that it may last up to a minute longer. */
  readonly precision: 'second' | 'minute';
}

export interface ValidEnding {
  readonly status: 'valid';
  readonly outcome: AgentOutcome;
  readonly flags: readonly EndingFlag[];
}

export interface VoidEnding {
  readonly status: 'void';
  readonly reason: VoidReason;
  /** Null when nobody knows: the cause is unknown. */
  readonly resume: ResumeKind | null;
  readonly scope: PauseScope | null;
  readonly reset: Reset | null;
  /** What the CLI said, for a reader. */
  readonly text: string;
}

export type Ending = ValidEnding | VoidEnding;

/** Why llmx itself ended the program. `stall` and those after it are watchdogs. */
export type EndedBy =
  'wall-clock' | 'stall' | 'first-event' | 'post-result' | 'quota-wait-detected' | 'quota-log-line';

/** What of an ending does not depend on the CLI. */
export interface EndingContext {
  readonly exit: number | null;
  readonly signal: string | null;
  /** Null when the program ended by itself, or somebody else ended it. */
  readonly endedBy: EndedBy | null;
  /** When the last line was written. */
  readonly observedAtMs: number;
  /** IANA name of the CLI process's own zone: what a time without a zone is in. */
  readonly timeZone: string;
  /** What the CLI wrote to standard error, or the end of it. */
  readonly stderr: string;
}

export function valid(outcome: AgentOutcome, flags: readonly EndingFlag[] = []): ValidEnding {
  return { status: 'valid', outcome, flags };
}

export function refused(): ValidEnding {
  return valid('refused', ['refusal']);
}

export function voided(
  reason: VoidReason,
  resume: ResumeKind | null,
  scope: PauseScope | null,
  text = '',
): VoidEnding {
  return { status: 'void', reason, resume, scope, reset: null, text };
}

/** Nobody knows what happened: void, with what was said. */
export function unknownEnding(text: string): VoidEnding {
  return voided('unknown_error', null, null, text);
}

/** The context is full. Before the model ever answered that is a task or tool set that does not fit. */
export function contextFull(hasEvidence: boolean, text: string): Ending {
  return hasEvidence
    ? valid('context-limit')
    : voided('agent_setup_failed', 'stop-arm', 'task', text);
}

/** Killed, and not by llmx: memory, or somebody on the host. Null for any other end. */
export function killedFromOutside({ exit, signal, endedBy }: EndingContext): VoidEnding | null {
  if (endedBy !== null) return null;
  const byNumber = exit === 137 ? 'SIGKILL' : exit === 143 ? 'SIGTERM' : null;
  const by = signal ?? byNumber;
  if (by !== 'SIGKILL' && by !== 'SIGTERM') return null;
  return voided('agent_killed', 'retry', 'host', `ended by ${by}`);
}

/** When to start again: a minute after the reset, or after now where that is over; null unless it waits. */
export function resumeAtMs(ending: VoidEnding, nowMs: number): number | null {
  if (ending.resume !== 'wait' || ending.reset === null) return null;
  return Math.max(ending.reset.atMs, nowMs) + RESUME_MARGIN_MS;
}

/** Times in texts have their seconds cut off, and some walls stand a little longer than announced. */
const RESUME_MARGIN_MS = 60_000;
