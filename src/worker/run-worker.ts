import { NativeConnection, Runtime, DefaultLogger } from '@temporalio/worker';
import { hostTaskQueue, trialTaskQueue } from '../domain/grid/ids.js';
import { stateLayout, type StateLayout } from '../storage/state-layout.js';
import { stateDir } from '../support/paths.js';
import { ownIdentity } from '../support/process-identity.js';
import { ENGINE_VERSION } from '../support/version.js';
import type { ServerTarget } from '../temporal/connect.js';
import { ensureAnyServer } from '../temporal/ensure-services.js';
import { hostId } from '../temporal/host-id.js';
import { markWorkerReady } from '../temporal/worker-record.js';
import { PROGRAM_FILE, SUPERVISOR_FILE } from '../trial/bundles.js';
import { createTrialService, type TrialService } from '../trial/trial-service.js';
import { createWorkers } from './create-workers.js';

export interface WorkerRunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly note: (text: string) => void;
  /** What runs trials. @defaultValue real ones */
  readonly trialsIn?: (state: StateLayout) => TrialService;
}

/** Polls both queues of this host until a signal ends it. The only place that builds real dependencies. */
export async function runWorker({
  env,
  note,
  trialsIn = realTrials,
}: WorkerRunOptions): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('INFO'),
    shutdownSignals: ['SIGINT', 'SIGTERM', 'SIGQUIT'],
  });
  const layout = stateLayout(stateDir(env));
  const target = await ensureAnyServer({ state: layout, env, note });
  const host = await hostId(layout);
  const connection = await connectNative(target);
  try {
    const workers = await createWorkers({
      connection,
      namespace: target.namespace,
      hostId: host,
      deps: {
        layout,
        env,
        trials: trialsIn(layout),
        temporalAddress: target.address,
        worker: ownIdentity(),
      },
    });
    const running = Promise.all(workers.map((worker) => worker.run()));
    try {
      await markWorkerReady(layout, {
        version: ENGINE_VERSION,
        hostId: host,
        taskQueues: [hostTaskQueue(host), trialTaskQueue(host)],
        address: target.address,
        namespace: target.namespace,
      });
      note(`polling ${target.address} as llmx-${host}`);
    } catch (error) {
      for (const worker of workers) worker.shutdown();
      await running;
      throw error;
    }
    await running;
  } finally {
    await connection.close();
  }
}

function realTrials(state: StateLayout): TrialService {
  return createTrialService({
    state,
    programFile: PROGRAM_FILE,
    supervisorFile: SUPERVISOR_FILE,
    engineVersion: ENGINE_VERSION,
  });
}

async function connectNative(target: ServerTarget): Promise<NativeConnection> {
  const { metadata, apiKey, tls } = target.credentials;
  return NativeConnection.connect({
    address: target.address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  });
}
