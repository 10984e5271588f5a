import type { WorkflowExecutionInfo } from '@temporalio/client';
import { gridIdPrefix } from '../domain/grid/ids.js';
import type { TemporalClient } from './connect.js';

/** The running grid of an experiment, else the one started last; null when none was ever started. */
export async function findGrid(
  services: TemporalClient,
  experimentKey: string,
): Promise<WorkflowExecutionInfo | null> {
  const prefix = gridIdPrefix(experimentKey);
  const query = `WorkflowType = 'gridWorkflow' AND WorkflowId STARTS_WITH '${prefix}'`;
  let newest: WorkflowExecutionInfo | null = null;
  for await (const execution of services.client.workflow.list({ query })) {
    if (execution.status.name === 'RUNNING') return execution;
    if (newest === null || execution.startTime > newest.startTime) newest = execution;
  }
  return newest;
}
