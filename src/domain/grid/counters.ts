import type { CellFailure, GridCounters, GridResult, RunTrialResult } from './contracts.js';

export const EMPTY_COUNTERS: GridCounters = {
  total: 0,
  attempted: 0,
  passed: 0,
  failed: 0,
  withoutResult: 0,
  alreadyDone: 0,
  consecutiveVoids: 0,
  spentUsd: 0,
};

/** A result carries this many failures; the rest are counted. */
export const MAX_LISTED_FAILURES = 100;

/** What became of a cell, in one word for a person. */
export function outcomeOf(
  result: Pick<RunTrialResult, 'status' | 'passed'>,
): 'passed' | 'failed' | Exclude<RunTrialResult['status'], 'valid'> {
  if (result.status !== 'valid') return result.status;
  return result.passed === true ? 'passed' : 'failed';
}

/** Counters after a cell's last attempt in this grid. */
export function countCell(counters: GridCounters, result: RunTrialResult): GridCounters {
  const next = {
    ...counters,
    attempted: counters.attempted + 1,
    spentUsd: counters.spentUsd + (result.costUsd ?? 0),
  };
  switch (result.status) {
    case 'already-done':
      return { ...next, alreadyDone: next.alreadyDone + 1 };
    case 'valid':
      return result.passed === true
        ? { ...next, passed: next.passed + 1, consecutiveVoids: 0 }
        : { ...next, failed: next.failed + 1, consecutiveVoids: 0 };
    case 'not-started':
      // Nothing was tried, so it says nothing about the machine.
      return { ...next, withoutResult: next.withoutResult + 1 };
    case 'void':
    case 'ungraded':
      return {
        ...next,
        withoutResult: next.withoutResult + 1,
        consecutiveVoids: next.consecutiveVoids + 1,
      };
  }
}

/** `ran` = total − failures (seed A), less the cells that another grid had finished meanwhile. */
export function gridResult(
  counters: GridCounters,
  failures: readonly CellFailure[],
  stopped: GridResult['stopped'],
  stoppedReason: string | null = null,
): GridResult {
  const listed = failures.slice(0, MAX_LISTED_FAILURES);
  const total = stopped === null ? counters.total : counters.attempted;
  return {
    total: counters.total,
    ran: total - counters.withoutResult - counters.alreadyDone,
    ok: stopped === null && counters.withoutResult === 0,
    passed: counters.passed,
    failed: counters.failed,
    failures: listed,
    failuresOmitted: counters.withoutResult - listed.length,
    stopped,
    stoppedReason,
  };
}
