import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { HostActivities, TrialActivities } from '../../../src/domain/grid/contracts.js';
import { hostTaskQueue, trialTaskQueue } from '../../../src/domain/grid/ids.js';

const BUNDLE = fileURLToPath(new URL('../../../dist/workflow-bundle.js', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** The Java server that skips time: a wait of three days takes milliseconds. */
export async function timeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  const path = process.env['LLMX_TEST_SERVER_BIN'];
  if (path === undefined) throw new Error('LLMX_TEST_SERVER_BIN is not set; run: npm test');
  return TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
}

/** Runs both queues of one host with the given activities while `body` runs. */
export async function withWorkers<T>(
  environment: TestWorkflowEnvironment,
  hostId: string,
  activities: {
    readonly host: HostActivities;
    readonly trial: TrialActivities;
    /** False where another worker takes over: the clock of this server never ends a sticky queue. */
    readonly sticky?: boolean;
  },
  body: () => Promise<T>,
): Promise<T> {
  const connection = environment.nativeConnection;
  const namespace = environment.namespace ?? 'default';
  const host = await Worker.create({
    connection,
    namespace,
    taskQueue: hostTaskQueue(hostId),
    workflowBundle: { codePath: BUNDLE },
    activities: activities.host,
    ...(activities.sticky === false ? { maxCachedWorkflows: 0 } : {}),
  });
  const trial = await Worker.create({
    connection,
    namespace,
    taskQueue: trialTaskQueue(hostId),
    activities: activities.trial,
    maxConcurrentActivityTaskExecutions: 1,
    // A cancel arrives with the answer to a heartbeat: as soon as in the real worker, or sooner.
    maxHeartbeatThrottleInterval: '100 milliseconds',
  });
  const running = trial.run();
  try {
    return await host.runUntil(body());
  } finally {
    trial.shutdown();
    await running;
  }
}
