/** One line of a preflight, and what a list of them means. */

export type CheckStatus = 'ok' | 'warn' | 'fail';
export type Verdict = 'GREEN' | 'YELLOW' | 'RED';

export interface Check {
  /** Stable identifier, `[a-z0-9-]+`; an approval is bound to `code:status`. */
  readonly code: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** The next command to type, or null when there is nothing to do. */
  readonly hint: string | null;
}

/** Any `fail` is RED, any `warn` YELLOW, else GREEN; no checks at all is RED: nothing was probed. */
export function verdictOf(checks: readonly Check[]): Verdict {
  if (checks.length === 0 || checks.some((check) => check.status === 'fail')) return 'RED';
  return checks.some((check) => check.status === 'warn') ? 'YELLOW' : 'GREEN';
}

/** What an approval is bound to: the plan and every check's outcome, without details or figures. */
export function approvalBasis(planHash: string, checks: readonly Check[]): string {
  const outcomes = checks.map((check) => `${check.code}:${check.status}`).sort();
  return [planHash, ...outcomes].join('\n');
}
