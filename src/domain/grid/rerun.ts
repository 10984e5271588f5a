import { MAX_VOID_RERUNS, VOID_REASONS, isVoidReason } from '../trial/outcome.js';
import type { RunTrialResult } from './contracts.js';

/** Providers cut the seconds off the times they print, and a start at the exact moment is refused. */
const RESET_MARGIN_MS = 60_000;

/** Before the first and the second further start, where the provider does not say when it goes on. */
const PROBE_MS = [5 * 60_000, 60 * 60_000] as const;

/** Before the first and the second further start, where it is overloaded or out of reach. */
const BACKOFF_MS = [30_000, 120_000] as const;

/** A wait that lets the cell run again. */
export interface Rerun {
  /** 0: at once. */
  readonly waitMs: number;
  /** Why a person sees the grid stand still; null when it does not. */
  readonly reason: string | null;
}

/**
 * Whether a cell runs again in the same grid after its attempt, and when: only what says nothing about agent or
 * task, and up to two more times.
 * @param attempt of this grid, from 0
 * @returns null when the result stands
 */
export function rerunAfter(result: RunTrialResult, attempt: number, nowMs: number): Rerun | null {
  if (attempt >= MAX_VOID_RERUNS || result.status !== 'void') return null;
  const { code, resume = null } = result;
  if (code === null || !isVoidReason(code)) return null;
  switch (resume?.kind) {
    case 'stop-arm':
    case 'stop-grid':
      return null;
    case 'retry': {
      const waitMs = BACKOFF_MS[attempt] ?? BACKOFF_MS[1];
      return { waitMs, reason: `${code}: the next try is in ${waitMs / 1000} s` };
    }
    case 'wait':
      return waitFor(code, resume?.at ?? null, attempt, nowMs);
    case undefined:
      return VOID_REASONS[code].rerun ? { waitMs: 0, reason: null } : null;
  }
}

function waitFor(code: string, at: string | null, attempt: number, nowMs: number): Rerun {
  if (at === null) {
    const waitMs = PROBE_MS[attempt] ?? PROBE_MS[1];
    return { waitMs, reason: `${code}: no reset is known; the next try is in ${minutes(waitMs)}` };
  }
  const waitMs = Math.max(0, Date.parse(at) - nowMs) + RESET_MARGIN_MS;
  return { waitMs, reason: `${code}: the provider goes on at ${at}` };
}

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} min`;
}
