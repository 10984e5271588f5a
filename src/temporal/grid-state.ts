import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { GridState } from '../domain/grid/contracts.js';

/** What the server itself keeps of a grid. */
export interface GridFacts {
  readonly phase: GridState['phase'];
  readonly verdict: GridState['verdict'];
  readonly reason: GridState['reason'];
  readonly spentUsd: number;
}

/**
 * The facts in a grid's memo; null before it has published any. Asking a grid that has ended for its
 * state makes a worker replay its whole last run, which takes seconds.
 */
export function factsInMemo(memo: Readonly<Record<string, unknown>> | undefined): GridFacts | null {
  const { phase, verdict, reason, spentUsd } = memo ?? {};
  if (typeof phase !== 'string') return null;
  return {
    phase: phase as GridFacts['phase'],
    verdict: typeof verdict === 'string' ? (verdict as GridFacts['verdict']) : null,
    reason: typeof reason === 'string' ? reason : null,
    spentUsd: typeof spentUsd === 'number' ? spentUsd : 0,
  };
}

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
