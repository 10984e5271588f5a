import type { WorkflowExecutionInfo } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { GridInput } from '../domain/grid/contracts.js';
import { gridIdPrefix } from '../domain/grid/ids.js';
import { NO_FILTERS, type GridFilters } from '../domain/plan/cell.js';
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

/** Filters a grid was started with, from the first event of its history. */
export async function gridFilters(
  services: TemporalClient,
  workflowId: string,
): Promise<GridFilters> {
  const { history } = await services.connection.workflowService.getWorkflowExecutionHistory({
    namespace: services.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payload = started?.input?.payloads?.[0];
  if (payload === undefined) return NO_FILTERS;
  return defaultPayloadConverter.fromPayload<GridInput>(payload).filters;
}
