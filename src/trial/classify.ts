import type { AgentVerdict } from '../agents/agent.js';
import type { TrialStatus, VoidReason } from '../domain/trial/outcome.js';
import type { ProgramResult } from '../domain/trial/program-contract.js';
import type { SandboxEnd } from '../runtimes/runtime.js';

/** What an attempt is recorded as. */
export interface Classification {
  readonly status: TrialStatus;
  /** Null unless graded. */
  readonly passed: boolean | null;
  /** Set on void attempts only. */
  readonly reason: VoidReason | null;
  readonly detail: string | null;
  /** The cause is unknown to llmx: somebody has to look. */
  readonly loud: boolean;
}

/** Why a trial is ended from outside before it is over. */
export type StopReason = 'cancelled' | 'host_slept' | 'supervisor_died';

export interface TrialEvidence {
  /** Why the supervisor ended the program, or null when it ended by itself. */
  readonly stopped: StopReason | null;
  readonly end: SandboxEnd;
  readonly result: ProgramResult | null;
  /** Null when the agent was not started, or ended at a limit of the trial. */
  readonly verdict: AgentVerdict | null;
}

/** First match decides: what spoilt the trial as a whole comes before what the program says about it. */
export function classify(evidence: TrialEvidence): Classification {
  const { stopped, end, verdict } = evidence;
  // A program that did not end well wrote no result: if there is one, the agent did.
  const result = end.exit === 0 ? evidence.result : null;
  if (stopped !== null) return stoppedTrial(stopped);
  if (ranOutOfMemory(end, result)) return voidTrial('out_of_memory', null);
  if (end.leftoversAlive > 0) {
    return voidTrial('sandbox_failed', `${end.leftoversAlive} processes could not be ended`);
  }
  if (end.timedOut) return voidTrial('sandbox_failed', 'the trial program passed its deadline');
  if (end.imageGone === true) return voidTrial('image_gone', end.detail);
  if (result === null) return voidTrial('sandbox_failed', withoutResult(end));
  if (result.aborted !== null) {
    const reason = isDiskFullText(result.abortDetail) ? 'disk_full' : result.aborted;
    return voidTrial(reason, result.abortDetail);
  }
  if (verdict?.status === 'void') return agentVoid(verdict.reason, verdict.detail);
  switch (result.grade) {
    case 'passed':
    case 'failed':
      return {
        status: 'valid',
        passed: result.grade === 'passed',
        reason: null,
        detail: null,
        loud: false,
      };
    case 'ungraded':
      return { status: 'ungraded', passed: null, reason: null, detail: null, loud: false };
    case null:
      return unknownError('the trial program ended without a grade');
  }
}

/**
 * Out of memory, and not by the agent at its own limit. A trial that was graded all the same counts: a
 * change that makes the test eat all memory is the agent's, and the untouched copy shows whose it is.
 */
function ranOutOfMemory(end: SandboxEnd, result: ProgramResult | null): boolean {
  const agent = result?.agent ?? null;
  const isUnexplained =
    agent?.signal === 'SIGKILL' && !agent.timedOut && agent.outputLimited !== true && !end.agentOom;
  if (end.machineOom && (end.signal === 'SIGKILL' || isUnexplained)) return true;
  return end.oom && result?.grade !== 'passed' && result?.grade !== 'failed';
}

export function stoppedTrial(reason: StopReason): Classification {
  const isUnasked = reason === 'supervisor_died';
  return voidTrial(reason, isUnasked ? 'SIGTERM, and nobody had cancelled the trial' : null);
}

export function voidTrial(reason: VoidReason, detail: string | null): Classification {
  return { status: 'void', passed: null, reason, detail, loud: false };
}

function agentVoid(reason: VoidReason, detail: string): Classification {
  return reason === 'unknown_error' ? unknownError(detail) : voidTrial(reason, detail);
}

export function unknownError(detail: string): Classification {
  return { ...voidTrial('unknown_error', detail), loud: true };
}

/** What an error of the supervisor itself means for the trial. */
export function classifyError(error: unknown): Classification {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return voidTrial('disk_full', null);
  const message = error instanceof Error ? error.message : String(error);
  if (isDiskFullText(message)) return voidTrial('disk_full', null);
  return unknownError(message.split('\n', 1)[0] ?? '');
}

function withoutResult(end: SandboxEnd): string {
  if (end.detail !== null) return end.detail;
  const how = end.exit === null ? `was ended by ${end.signal ?? 'a signal'}` : `exit ${end.exit}`;
  return `the trial program left no result (${how})`;
}

function isDiskFullText(text: string | null): boolean {
  return text !== null && /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i.test(text);
}
