import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { LLMX_DONE, LLMX_PHASE, LLMX_TOTAL, LLMX_VERDICT } from '../temporal/search-attributes.js';

export interface Facts {
  readonly phase?: string;
  readonly verdict?: string | null;
  readonly done?: number;
  readonly total?: number;
}

/** Puts the same facts into the search attributes and the memo: both are kept by the server itself. */
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
