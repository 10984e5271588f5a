import { ApplicationFailure } from '@temporalio/workflow';
import type { Approval, ApprovalMessage, PreflightReport } from '../domain/grid/contracts.js';

/** What a person decided about one shown set of checks. */
export type Decision =
  | { readonly kind: 'approved'; readonly approval: Approval }
  | { readonly kind: 'rejected'; readonly approval: Approval };

export function decisionOf(kind: Decision['kind'], message: ApprovalMessage | undefined): Decision {
  const approval = { by: message?.by ?? 'unknown', reason: message?.reason ?? '' };
  return { kind, approval };
}

/** A message without a hash means what is shown now. */
export function isFor(
  message: ApprovalMessage | undefined,
  shown: PreflightReport | null,
): boolean {
  // People type these: a text or a number is no answer to anything.
  if (message !== undefined && (message === null || typeof message !== 'object')) return false;
  return message?.hash === undefined || message.hash === shown?.hash;
}

/**
 * Validator of the approve and reject updates. Must stay synchronous: the SDK ignores a returned promise.
 * @throws ApplicationFailure `not_waiting` or `approval_stale`
 */
export function assertAnswerable(
  message: ApprovalMessage | undefined,
  state: { readonly phase: string; readonly preflight: PreflightReport | null },
): void {
  if (state.phase !== 'waiting') {
    const verdict = state.preflight?.verdict ?? 'not known yet';
    throw refusal('not_waiting', `phase ${state.phase}, verdict ${verdict}`);
  }
  if (!isFor(message, state.preflight)) {
    throw refusal('approval_stale', state.preflight?.hash ?? 'none');
  }
}

function refusal(type: string, detail: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message: detail, nonRetryable: true });
}
