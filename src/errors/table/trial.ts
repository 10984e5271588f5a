import type { ErrorSpecs } from '../error-spec.js';

/** Why a cell ended without a counted result, and why a trial could not be made ready. */
export const TRIAL_ERRORS = {
  checkout_not_set: {
    message: 'app {app}: LLMX_APP_{variable} is not set',
    hint: 'export LLMX_APP_{variable}=/path/to/the/checkout',
    exitCode: 2,
    retry: 'never',
  },
  checkout_unusable: {
    message: 'app {app}: {problem}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  branch_not_found: {
    message: 'app {app}: no branch {branch} in the checkout{seen}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  disk_low: {
    message: '{freeGb} GB free at {where}; {needGb} GB are needed',
    hint: 'llmx-client clean',
    exitCode: 3,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
