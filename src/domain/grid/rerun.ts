import { MAX_VOID_RERUNS, VOID_REASONS, isVoidReason } from '../trial/outcome.js';
import type { RunTrialResult } from './contracts.js';

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
  const { code, resume } = result;
  if (code === null || !isVoidReason(code)) return null;
  switch (resume?.kind) {
    case 'stop-arm':
    case 'stop-grid':
      return null;
    case 'retry':
      if (resume.scope === 'trial' || resume.scope === 'host') return AT_ONCE;
      return after(BACKOFF_MS[attempt] ?? BACKOFF_MS[1], code);
    case 'probe':
      return after(PROBE_MS[attempt] ?? PROBE_MS[1], code);
    case 'wait': {
      if (resume.at === undefined) return after(PROBE_MS[attempt] ?? PROBE_MS[1], code);
      const waitMs = Math.max(0, Date.parse(resume.at) - nowMs);
      return { waitMs, reason: `${code}: the grid goes on at ${resume.at}` };
    }
    case undefined:
      return VOID_REASONS[code].rerun ? AT_ONCE : null;
  }
}

const AT_ONCE: Rerun = { waitMs: 0, reason: null };

function after(waitMs: number, code: string): Rerun {
  return { waitMs, reason: `${code}: the next try is in ${duration(waitMs)}` };
}

function duration(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : `${Math.round(ms / 60_000)} min`;
}
