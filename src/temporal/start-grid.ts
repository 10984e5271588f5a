import type { WorkflowHandle } from '@temporalio/client';
import type { GridInput } from '../domain/grid/contracts.js';
import { hostTaskQueue } from '../domain/grid/ids.js';
import { LlmxError } from '../errors/llmx-error.js';
import type { TemporalClient } from './connect.js';
import { uiLink } from './ids.js';
import { LLMX_EXPERIMENT, LLMX_HOST, LLMX_PHASE, LLMX_TOTAL } from './search-attributes.js';

export interface StartedGrid {
  readonly workflowId: string;
  readonly handle: WorkflowHandle;
  readonly uiUrl: string | null;
  /** True when the grid was running already, whoever started it. */
  readonly attached: boolean;
}

/** Starts the grid, or attaches to the running one with the same id: two terminals get one grid. */
export async function startOrAttach(
  services: TemporalClient,
  workflowId: string,
  input: GridInput,
): Promise<StartedGrid> {
  if (input.redoDone && (await isRunning(services, workflowId))) {
    throw new LlmxError('grid_running', { workflowId });
  }
  // Tells this start from one that another terminal makes at the same moment.
  const startedBy = `${process.pid}-${process.hrtime.bigint()}`;
  const handle = await services.client.workflow.start('gridWorkflow', {
    workflowId,
    taskQueue: hostTaskQueue(input.hostId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [input],
    staticSummary: `grid of ${input.experimentName}`,
    memo: { startedBy, experiment: input.experimentName, host: input.hostId },
    ...(input.useSearchAttributes
      ? {
          typedSearchAttributes: [
            { key: LLMX_EXPERIMENT, value: input.plan.experimentKey },
            { key: LLMX_HOST, value: input.hostId },
            { key: LLMX_PHASE, value: 'preflight' },
            { key: LLMX_TOTAL, value: 0 },
          ],
        }
      : {}),
  });
  const { memo } = await handle.describe();
  return {
    workflowId,
    handle,
    uiUrl: services.uiUrl === null ? null : uiLink(services.uiUrl, services.namespace, workflowId),
    attached: memo?.['startedBy'] !== startedBy,
  };
}

/** Whether a workflow with this id runs now. */
export async function isRunning(services: TemporalClient, workflowId: string): Promise<boolean> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  try {
    const { status } = await services.client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
