// The worker with all its real activities, but trials that run nothing: `node stub-worker.mjs`. What a trial
// leaves (claim, meta.json, metrics.json) is written as ever. What the worker needs for how many
// trials goes to the file LLMX_BENCH_SAMPLES, a JSON line every few cells.
import { appendFileSync } from 'node:fs';
import { NativeConnection } from '@temporalio/worker';
import { hostTaskQueue, trialTaskQueue } from '../../dist/domain/grid/ids.js';
import { stateLayout } from '../../dist/storage/state-layout.js';
import { stateDir } from '../../dist/support/paths.js';
import { ownIdentity } from '../../dist/support/process-identity.js';
import { ENGINE_VERSION } from '../../dist/support/version.js';
import { ensureAnyServer } from '../../dist/temporal/ensure-services.js';
import { hostId } from '../../dist/temporal/host-id.js';
import { markWorkerReady } from '../../dist/temporal/worker-record.js';
import { createWorkers } from '../../dist/worker/create-workers.js';
import { stubTrials } from './stub-trials.mjs';

const SAMPLE_EVERY = 20;

const { env } = process;
const layout = stateLayout(stateDir(env));
const target = await ensureAnyServer({
  state: layout,
  env,
  note: console.error,
});
const host = await hostId(layout);
const connection = await NativeConnection.connect({ address: target.address });
const workers = await createWorkers({
  connection,
  namespace: target.namespace,
  hostId: host,
  deps: {
    layout,
    env,
    trials: stubTrials(layout, sample),
    temporalAddress: target.address,
    worker: ownIdentity(),
  },
});
const running = Promise.all(workers.map((worker) => worker.run()));
await markWorkerReady(layout, {
  version: ENGINE_VERSION,
  hostId: host,
  taskQueues: [hostTaskQueue(host), trialTaskQueue(host)],
  address: target.address,
  namespace: target.namespace,
});
await running;
await connection.close();

function sample(cells) {
  if (cells % SAMPLE_EVERY !== 0) return;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const line = JSON.stringify({
    cells,
    at: Date.now(),
    cpuMs: (user + system) / 1_000,
    rss,
    heapUsed,
  });
  appendFileSync(env.LLMX_BENCH_SAMPLES, `${line}\n`);
}
