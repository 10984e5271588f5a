import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalMessage, GridState, PreflightChange } from '../domain/grid/contracts.js';

/** Signals, queries and updates of the workflows. Names are fixed: people type them. */

export const stateQuery = defineQuery<GridState>('state');

export const approveSignal = defineSignal<[ApprovalMessage?]>('approve');
export const rejectSignal = defineSignal<[ApprovalMessage?]>('reject');
/** Same names as the signals; these answer, and refuse what can't be approved. */
export const approveUpdate = defineUpdate<string, [ApprovalMessage?]>('approve');
export const rejectUpdate = defineUpdate<string, [ApprovalMessage?]>('reject');

export const pauseSignal = defineSignal<[]>('pause');
export const resumeSignal = defineSignal<[]>('resume');
export const cancelSignal = defineSignal<[]>('cancel');
/** Index of a cell in the plan, from 1. */
export const skipSignal = defineSignal<[number]>('skip');
/** The same by name; they answer with one sentence, and refuse what makes no sense now. */
export const pauseUpdate = defineUpdate<string>('pause');
export const resumeUpdate = defineUpdate<string>('resume');
export const cancelUpdate = defineUpdate<string>('cancel');
export const skipUpdate = defineUpdate<string, [number]>('skip');

export const preflightChangedSignal = defineSignal<[PreflightChange]>('preflightChanged');
