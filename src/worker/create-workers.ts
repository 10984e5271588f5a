import { type NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { createHostActivities } from '../activities/index.js';
import type { ActivityDeps } from '../activities/deps.js';
import { createTrialActivities } from '../activities/trial.js';
import { hostTaskQueue, trialTaskQueue } from '../domain/grid/ids.js';

export const WORKFLOW_BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
const FAILURE_CONVERTER = fileURLToPath(
  new URL('../temporal/failure-converter.cjs', import.meta.url),
);

/** Slots of the host queue; trials have one slot of their own. */
const HOST_SLOTS = 8;

export interface WorkerSettings {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly hostId: string;
  readonly deps: ActivityDeps;
}

/** Two workers in one process: the host queue (workflows, short activities) and the trial queue. */
export async function createWorkers(settings: WorkerSettings): Promise<readonly Worker[]> {
  const { connection, namespace, hostId, deps } = settings;
  const shared = {
    connection,
    namespace,
    identity: `llmx-${hostId}`,
    dataConverter: { failureConverterPath: FAILURE_CONVERTER },
    // A trial outlives its worker, so nothing is gained by waiting for it.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '10 seconds',
    maxHeartbeatThrottleInterval: '2 seconds',
  } as const;
  return Promise.all([
    Worker.create({
      ...shared,
      taskQueue: hostTaskQueue(hostId),
      workflowBundle: { codePath: WORKFLOW_BUNDLE },
      activities: createHostActivities(deps),
      maxConcurrentActivityTaskExecutions: HOST_SLOTS,
      maxCachedWorkflows: 50,
      stickyQueueScheduleToStartTimeout: '2 seconds',
    }),
    Worker.create({
      ...shared,
      taskQueue: trialTaskQueue(hostId),
      activities: createTrialActivities(deps),
      maxConcurrentActivityTaskExecutions: 1,
      maxConcurrentActivityTaskPolls: 1,
    }),
  ]);
}
