import type { WorkflowExecutionInfo } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { GridInput } from '../domain/grid/contracts.js';
import { gridIdPrefix } from '../domain/grid/ids.js';
import { NO_FILTERS, type GridFilters } from '../domain/plan/cell.js';
import { LlmxError } from '../errors/llmx-error.js';
import type { TemporalClient } from './connect.js';
import { grpcCode } from './service-errors.js';

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

/** gRPC status code: the server knows no such workflow. */
const NOT_FOUND = 5;

/**
 * Filters a grid was started with, from the first event of its history.
 * @throws LlmxError `workflow_not_found`
 */
export async function gridFilters(
  services: TemporalClient,
  workflowId: string,
): Promise<GridFilters> {
  const { history } = await services.connection.workflowService
    .getWorkflowExecutionHistory({
      namespace: services.namespace,
      execution: { workflowId },
      maximumPageSize: 1,
    })
    .catch((error: unknown) => {
      if (grpcCode(error) !== NOT_FOUND) throw error;
      throw new LlmxError('workflow_not_found', { workflowId }, { cause: error });
    });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payload = started?.input?.payloads?.[0];
  if (payload === undefined) return NO_FILTERS;
  return defaultPayloadConverter.fromPayload<GridInput>(payload).filters;
}
