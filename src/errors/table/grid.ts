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
  grid_failed: {
    message: 'the grid failed: {reason}',
    hint: 'llmx-client start-grid',
    exitCode: 1,
    retry: 'never',
  },
  grid_ended: {
    message: '{workflowId} has ended ({state})',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  grid_not_paused: {
    message: '{workflowId} is not paused (it is {state})',
    hint: 'llmx-client status',
    exitCode: 6,
    retry: 'never',
  },
  no_grid_running: {
    message: 'no grid of {experiment} is running',
    hint: 'llmx-client start-grid',
    exitCode: 6,
    retry: 'never',
  },
  unknown_cell: {
    message: 'there is no cell {cell} in the plan',
    hint: 'llmx-client plan',
    exitCode: 6,
    retry: 'never',
  },
  skipped: {
    message: 'the cell was left out by a person',
    hint: 'llmx-client start-grid',
    exitCode: 5,
    retry: 'never',
  },
  run_list_damaged: {
    message: 'the list of cells of this grid is gone or damaged on this host ({runListId})',
    hint: 'llmx-client start-grid',
    exitCode: 6,
    retry: 'never',
  },
  grid_running: {
    message: 'grid {workflowId} is running; --redo-done cannot change it',
    hint: 'llmx-client start-grid --wait',
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
