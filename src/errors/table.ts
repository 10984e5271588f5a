import { CONFIG_ERRORS } from './table/config.js';
import { ENGINE_ERRORS } from './table/engine.js';
import { GRID_ERRORS } from './table/grid.js';
import { LOGIN_ERRORS } from './table/login.js';
import { SERVICE_ERRORS } from './table/service.js';
import { TRIAL_ERRORS } from './table/trial.js';
import { VOID_ERRORS } from './table/void.js';
import type { ErrorSpec } from './error-spec.js';

/** Every error a user can see. Exit codes, docs/errors.md and Temporal's non-retryable list come from here. */
export const ERROR_TABLE = {
  ...CONFIG_ERRORS,
  ...ENGINE_ERRORS,
  ...GRID_ERRORS,
  ...LOGIN_ERRORS,
  ...SERVICE_ERRORS,
  ...TRIAL_ERRORS,
  ...VOID_ERRORS,
  output_failed: {
    message: 'the result can not be written to standard output: {reason}',
    hint: 'free some space or write to another place, then run the command again',
    exitCode: 1,
    retry: 'never',
  },
  unexpected: {
    message: 'unexpected error: {reason}',
    hint: 'run the command again with LLMX_DEBUG=1 to see where it happened',
    exitCode: 1,
    retry: 'transient',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** Failure types that Temporal must not retry. Voids are results of an activity, never its failure. */
export const NON_RETRYABLE_CODES: readonly string[] = Object.entries(ERROR_TABLE)
  .filter(([code, spec]) => spec.retry === 'never' && !Object.hasOwn(VOID_ERRORS, code))
  .map(([code]) => code);
