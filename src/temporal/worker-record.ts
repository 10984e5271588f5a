import { LlmxError } from '../errors/llmx-error.js';
import type { StateLayout } from '../storage/state-layout.js';
import { writeJsonAtomic } from '../support/atomic-file.js';
import { pollUntil } from '../support/poll.js';
import { ownIdentity, type ProcessIdentity } from '../support/process-identity.js';
import { asIdentity, liveProcess, readRecord } from './server-record.js';

/** `worker.json`: the worker of this state folder, in the background or in a terminal. */
export interface WorkerRecord {
  readonly schemaVersion: 1;
  /** Null after a stop. */
  readonly process: ProcessIdentity | null;
  readonly version: string;
  readonly hostId: string;
  readonly taskQueues: readonly string[];
  /** Server and namespace it polls. */
  readonly address: string;
  readonly namespace: string;
  /** Written by the worker itself once all its queues are polled. */
  readonly ready: boolean;
}

export async function readWorkerRecord(state: StateLayout): Promise<WorkerRecord | null> {
  const raw = await readRecord(state.workerFile);
  if (raw === null) return null;
  const text = (key: string): string => (typeof raw[key] === 'string' ? raw[key] : '');
  return {
    schemaVersion: 1,
    process: asIdentity(raw['process']),
    version: text('version'),
    hostId: text('hostId'),
    taskQueues: Array.isArray(raw['taskQueues']) ? raw['taskQueues'].map(String) : [],
    address: text('address'),
    namespace: text('namespace'),
    ready: raw['ready'] === true,
  };
}

export async function writeWorkerRecord(state: StateLayout, record: WorkerRecord): Promise<void> {
  await writeJsonAtomic(state.workerFile, record, { mode: 0o600 });
}

/**
 * Called by the worker process itself when all its queues are polled: whoever waits for it goes on.
 * Whoever started it records it first; should that process have been killed, the worker does it alone.
 * @throws LlmxError `worker_start_failed` when another worker of this state folder runs
 */
export async function markWorkerReady(
  state: StateLayout,
  worker: Omit<WorkerRecord, 'schemaVersion' | 'process' | 'ready'>,
): Promise<void> {
  await pollUntil(async () => isOwn(await readWorkerRecord(state)), {
    timeoutMs: RECORD_TIMEOUT_MS,
  });
  const other = liveProcess(await readWorkerRecord(state));
  if (other !== null && other.pid !== process.pid) {
    const reason = `a worker (pid ${other.pid}) runs on this host already`;
    throw new LlmxError('worker_start_failed', { reason, hint: 'llmx-client worker status' });
  }
  await writeWorkerRecord(state, {
    schemaVersion: 1,
    process: ownIdentity(),
    ready: true,
    version: worker.version,
    hostId: worker.hostId,
    taskQueues: worker.taskQueues,
    address: worker.address,
    namespace: worker.namespace,
  });
}

const RECORD_TIMEOUT_MS = 2_000;

function isOwn(record: WorkerRecord | null): true | null {
  return record?.process?.pid === process.pid ? true : null;
}
