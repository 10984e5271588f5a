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
  app_setup_failed: {
    message: 'app {app}: setup failed ({how})',
    hint: 'read {logFile}; correct apps.{app}.setup in experiment.yml',
    exitCode: 2,
    retry: 'never',
  },
  template_not_flat: {
    message:
      'app {app}: the template holds {problem}; trials need one flat commit for each task and a clean tree',
    hint: 'llmx-client doctor',
    exitCode: 1,
    retry: 'never',
  },
  branch_not_found: {
    message: 'app {app}: no branch {branch} in the checkout{seen}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  branch_ambiguous: {
    message: 'app {app}: task {task} could be any of the branches {branches}',
    hint: 'in the checkout, rename the right one: git branch -m {first} {exact}',
    exitCode: 2,
    retry: 'never',
  },
  disk_low: {
    message: '{freeGb} GB free at {where}; {needGb} GB are needed',
    hint: 'free some space, then: llmx-client doctor',
    exitCode: 3,
    retry: 'never',
  },
  no_space: {
    message: 'no space is left on the disk: {where}',
    hint: 'free some space, then: llmx-client doctor',
    exitCode: 3,
    retry: 'never',
  },
  results_unusable: {
    message: 'the results can not be read or written at {folder}: {reason}',
    hint: 'make it a folder you can write to, then: llmx-client doctor',
    exitCode: 2,
    retry: 'never',
  },
  runtime_unavailable: {
    message: 'runtime {kind} is not available in this version (available: {available})',
    hint: 'set runtime: process in experiment.yml',
    exitCode: 2,
    retry: 'never',
  },
  agent_kind_unavailable: {
    message: 'agent {agent}: kind {kind} is not available in this version (available: {available})',
    hint: 'llmx-client plan',
    exitCode: 2,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
