import type { ErrorSpecs } from '../error-spec.js';

/** Grids, approvals and preflight. */
export const GRID_ERRORS = {
  workflow_not_found: {
    message: 'there is no workflow {workflowId}',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  not_waiting: {
    message: '{workflowId} is not waiting for an approval: {state}',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  approval_stale: {
    message: 'the approval names {given}, but the checks shown now are {current}',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  grid_running: {
    message: 'grid {workflowId} is running; --redo-done cannot change it',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  preflight_red: {
    message: 'preflight is RED: {checks}',
    hint: '{hint}',
    exitCode: 3,
    retry: 'never',
  },
  approval_rejected: {
    message: 'the grid was rejected: {reason}',
    hint: 'llmx-client start-grid',
    exitCode: 3,
    retry: 'never',
  },
  approval_expired: {
    message: 'nobody approved the YELLOW preflight in time',
    hint: 'llmx-client start-grid',
    exitCode: 3,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
