/** Search attributes of llmx's workflows. Workflow code imports this file: nothing of Node here. */

import { defineSearchAttributeKey, type SearchAttributeType } from '@temporalio/common';

export const LLMX_EXPERIMENT = defineSearchAttributeKey('LlmxExperiment', 'KEYWORD');
export const LLMX_PHASE = defineSearchAttributeKey('LlmxPhase', 'KEYWORD');
export const LLMX_VERDICT = defineSearchAttributeKey('LlmxVerdict', 'KEYWORD');
export const LLMX_DONE = defineSearchAttributeKey('LlmxDone', 'INT');
export const LLMX_TOTAL = defineSearchAttributeKey('LlmxTotal', 'INT');
export const LLMX_HOST = defineSearchAttributeKey('LlmxHost', 'KEYWORD');

/** All of them: a server must know every one before a workflow sets it. */
export const LLMX_SEARCH_ATTRIBUTES: readonly {
  readonly name: string;
  readonly type: SearchAttributeType;
}[] = [LLMX_EXPERIMENT, LLMX_PHASE, LLMX_VERDICT, LLMX_DONE, LLMX_TOTAL, LLMX_HOST];
