import { ApplicationFailure } from '@temporalio/common';
import { LlmxError } from '../errors/llmx-error.js';
import type { TemporalClient } from './connect.js';

/** Type and message of the failure with which a workflow refused an update. */
export interface Refusal {
  readonly type: string | null | undefined;
  readonly message: string;
}

/**
 * Sends an update and waits for its answer.
 * @param explain - the error a person sees for a refusal; null: not one that is known
 * @throws LlmxError `workflow_not_found`, or what `explain` makes of the refusal
 */
export async function answeredUpdate(
  services: TemporalClient,
  workflowId: string,
  name: string,
  args: readonly unknown[],
  explain: (refusal: Refusal) => LlmxError | null,
): Promise<string> {
  const { WorkflowNotFoundError, WorkflowUpdateFailedError } = await import('@temporalio/client');
  try {
    const handle = services.client.workflow.getHandle(workflowId);
    // The SDK's type wants one argument or more; none at all is as good.
    const sent = args as [unknown, ...unknown[]];
    return await handle.executeUpdate<string, typeof sent>(name, { args: sent });
  } catch (error) {
    // A closed workflow answers the same as one that never was.
    if (error instanceof WorkflowNotFoundError) {
      throw await closedOrMissing(services, workflowId, error);
    }
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      const { type, message } = error.cause;
      throw explain({ type, message }) ?? error;
    }
    throw error;
  }
}

async function closedOrMissing(
  services: TemporalClient,
  workflowId: string,
  cause: unknown,
): Promise<LlmxError> {
  try {
    const { status } = await services.client.workflow.getHandle(workflowId).describe();
    return new LlmxError('grid_ended', { workflowId, state: status.name.toLowerCase() }, { cause });
  } catch {
    // Not even described: there is none.
    return new LlmxError('workflow_not_found', { workflowId }, { cause });
  }
}
