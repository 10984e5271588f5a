import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { LLMX_DONE, LLMX_PHASE, LLMX_TOTAL, LLMX_VERDICT } from '../temporal/search-attributes.js';

export interface Facts {
  readonly phase?: string;
  readonly verdict?: string | null;
  readonly done?: number;
  readonly total?: number;
  readonly spentUsd?: number;
  /** Why the grid is paused or stopped; null takes an earlier reason away. */
  readonly reason?: string | null;
}

/**
 * Puts the facts where the server itself keeps them: all in the memo, those that people search for in the
 * search attributes too. They are read when no worker answers, and of a grid that has ended.
 */
export function publishFacts(useSearchAttributes: boolean, facts: Facts): void {
  upsertMemo({ ...facts });
  if (!useSearchAttributes) return;
  upsertSearchAttributes([
    ...(facts.phase === undefined ? [] : [{ key: LLMX_PHASE, value: facts.phase }]),
    ...(facts.verdict == null ? [] : [{ key: LLMX_VERDICT, value: facts.verdict }]),
    ...(facts.done === undefined ? [] : [{ key: LLMX_DONE, value: facts.done }]),
    ...(facts.total === undefined ? [] : [{ key: LLMX_TOTAL, value: facts.total }]),
  ]);
}
