/** Names that client, worker and workflows must agree on. */

const GRID_PREFIX = 'llmx-grid-';
const PREFLIGHT_PREFIX = 'llmx-preflight-';

export function gridWorkflowId(experimentKey: string, filterHash: string): string {
  return `${GRID_PREFIX}${experimentKey}-${filterHash}`;
}

/** Prefix of every grid of one experiment, whatever its filters. */
export function gridIdPrefix(experimentKey: string): string {
  return `${GRID_PREFIX}${experimentKey}-`;
}

export function preflightIdOf(gridId: string): string {
  return gridId.startsWith(GRID_PREFIX)
    ? PREFLIGHT_PREFIX + gridId.slice(GRID_PREFIX.length)
    : gridId;
}

export function gridIdOf(workflowId: string): string {
  return workflowId.startsWith(PREFLIGHT_PREFIX)
    ? GRID_PREFIX + workflowId.slice(PREFLIGHT_PREFIX.length)
    : workflowId;
}

/** Workflows and every activity but runTrial. */
export function hostTaskQueue(hostId: string): string {
  return `llmx-host-${hostId}`;
}

/** runTrial alone: one slot, so that trials of one host never overlap. */
export function trialTaskQueue(hostId: string): string {
  return `llmx-host-${hostId}-trial`;
}
