import { join } from 'node:path';
import type { RunTrialResult } from '../domain/grid/contracts.js';
import { isVoidReason, type VoidReason } from '../domain/trial/outcome.js';
import { resumeAdvice } from '../domain/trial/resume.js';
import { fill } from '../errors/llmx-error.js';
import { VOID_ERRORS } from '../errors/table/void.js';
import type { Attempt } from '../storage/results-tree.js';
import type { TrialAnswer } from './attach-or-start.js';
import { readRecord } from './trial-files.js';

type Meta = Readonly<Record<string, unknown>>;

/** What the workflow gets: no path and no text of the trial's own files. */
export async function trialResult(
  answer: TrialAnswer,
  /** Prompt file as a person writes it, relative to the experiment. */
  promptName: string,
): Promise<RunTrialResult> {
  const nothing = {
    passed: null,
    code: null,
    error: null,
    hint: null,
    costUsd: null,
    stamp: null,
  };
  switch (answer.kind) {
    case 'already-done':
      return { ...nothing, status: 'already-done' };
    case 'prompt-missing': {
      const error = fill(VOID_ERRORS.prompt_missing.message, { file: promptName });
      const hint = fill(VOID_ERRORS.prompt_missing.hint ?? '', { file: promptName });
      return { ...nothing, status: 'not-started', code: 'prompt_missing', error, hint };
    }
    case 'cancelled': {
      const error = VOID_ERRORS.cancelled.message;
      return { ...nothing, status: 'not-started', code: 'cancelled', error };
    }
    case 'record':
      return attemptResult(answer.attempt);
  }
}

async function attemptResult(attempt: Attempt): Promise<RunTrialResult> {
  const { meta, stamp } = attempt;
  if (meta === null) {
    const error = fill(VOID_ERRORS.unknown_error.message, { reason: 'meta.json can’t be read' });
    const code: VoidReason = 'unknown_error';
    const { hint } = VOID_ERRORS.unknown_error;
    return { status: 'void', passed: null, code, error, hint, costUsd: null, stamp };
  }
  const costUsd = await costOf(attempt);
  switch (meta['status']) {
    case 'void': {
      const code = typeof meta['aborted'] === 'string' ? meta['aborted'] : 'unknown_error';
      const error = voidText(code, meta);
      const template = VOID_ERRORS[isVoidReason(code) ? code : 'unknown_error'].hint ?? '';
      const hint = fill(template, { agent: String(meta['agent_kind']) });
      const resume = resumeAdvice(meta);
      const said = { status: 'void', passed: null, code, error, hint, costUsd, stamp } as const;
      return resume === null ? said : { ...said, resume };
    }
    case 'ungraded': {
      const error = VOID_ERRORS.ungraded.message;
      const { hint } = VOID_ERRORS.ungraded;
      return { status: 'ungraded', passed: null, code: 'ungraded', error, hint, costUsd, stamp };
    }
    default: {
      const passed = meta['passed'] === true;
      return { status: 'valid', passed, code: null, error: null, hint: null, costUsd, stamp };
    }
  }
}

function voidText(code: string, meta: Meta): string {
  const detail = typeof meta['detail'] === 'string' ? meta['detail'] : '';
  const reason: VoidReason = isVoidReason(code) ? code : 'unknown_error';
  const template = VOID_ERRORS[reason].message;
  if (template.includes('{')) return fill(template, { reason: detail || code, file: detail });
  return detail === '' ? template : `${template}: ${detail}`;
}

/** Null where the agent doesn't say: unknown is never 0. */
async function costOf(attempt: Attempt): Promise<number | null> {
  const metrics = await readRecord(join(attempt.dir, 'metrics.json'));
  const cost = metrics?.['total_cost_usd'];
  return typeof cost === 'number' && Number.isFinite(cost) ? cost : null;
}
