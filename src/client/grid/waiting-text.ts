import type { GridState } from '../../domain/grid/contracts.js';
import { checksText } from '../output/checks.js';

/** The checks of a YELLOW grid and how to answer them. */
export function waitingText(state: GridState, workflowId: string, color: boolean): string {
  const checks = state.preflight?.checks ?? [];
  return `${checksText(checks, 'YELLOW', color)}\n${answersText(state, workflowId)}`;
}

/** The hash makes an answer hold for these checks alone; without it, for what is shown when it comes. */
export function answersText(state: GridState, workflowId: string): string {
  return [
    `checks: ${state.preflight?.hash ?? ''} (an answer with --hash holds for these alone)`,
    `next: llmx-client approve ${workflowId} --reason "…"`,
    `  or: llmx-client reject ${workflowId} --reason "…"`,
  ].join('\n');
}
