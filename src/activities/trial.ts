import { Context } from '@temporalio/activity';
import type { RunTrialInput, RunTrialResult, TrialActivities } from '../domain/grid/contracts.js';
import { hidePathsIn } from '../support/hide-paths.js';
import type { ActivityDeps } from './deps.js';
import { asFailure } from './guard.js';
import { hiddenFolders } from './hidden.js';

const HEARTBEAT_MS = 2_000;

/**
 * Attach or start. The activity never owns the trial: only an explicit cancel of the workflow stops it;
 * a worker that shuts down, a time-out, a reset or a pause just let go of it.
 */
export function createTrialActivities(deps: ActivityDeps): TrialActivities {
  return {
    async runTrial(input: RunTrialInput): Promise<RunTrialResult> {
      const context = Context.current();
      const detach = new AbortController();
      let phase = 'starting';
      context.heartbeat({ phase });
      const alive = setInterval(() => {
        context.heartbeat({ phase });
      }, HEARTBEAT_MS);
      const cancelled = context.cancelled.catch(async (reason: unknown) => {
        if (context.cancellationDetails?.cancelRequested === true) await deps.trials.stop(input);
        else detach.abort(reason);
        throw reason;
      });
      const running = deps.trials.run(
        {
          ...input,
          workflowId: context.info.workflowExecution?.workflowId ?? null,
          runId: context.info.workflowExecution?.runId ?? null,
        },
        {
          signal: detach.signal,
          onProgress: (now) => {
            phase = now;
          },
        },
      );
      const hidden = await hiddenFolders(deps)(input).catch(() => []); // the trial itself will say what is wrong
      try {
        return hidePathsIn(await Promise.race([running, cancelled]), hidden);
      } catch (error) {
        // After a cancel the record of the stopped trial is still being written.
        if (context.cancellationDetails?.cancelRequested === true) await running.catch(() => null);
        throw asFailure(error, hidden);
      } finally {
        clearInterval(alive);
        running.catch(() => null); // detached: nobody reads it any more
      }
    },
  };
}
