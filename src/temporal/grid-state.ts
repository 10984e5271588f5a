import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { GridState } from '../domain/grid/contracts.js';

/** A worker that died while it was asked would hold the caller for the server's 30 s. */
const ANSWER_MS = 8_000;

/**
 * Answer of a workflow's `state` query, or null while no worker can answer it.
 * @throws WorkflowNotFoundError when there is no such workflow
 */
export async function readState(handle: WorkflowHandle): Promise<GridState | null> {
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_MS, () =>
      handle.query<GridState>('state'),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw error;
    // Just started, worker restarting, or the query timed out: ask again.
    return null;
  }
}
