import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostTaskQueue, trialTaskQueue } from '../domain/grid/ids.js';
import { LlmxError } from '../errors/llmx-error.js';
import type { StateLayout } from '../storage/state-layout.js';
import type { Environment } from '../support/paths.js';
import { pollUntil } from '../support/poll.js';
import { ensurePrivateFolder } from '../support/private-folder.js';
import { isAlive, type ProcessIdentity } from '../support/process-identity.js';
import {
  logTail,
  startInBackground,
  startInTerminal,
  stopProcess,
  type BackgroundCommand,
} from './background-process.js';
import { hostId, readHostId } from './host-id.js';
import type { Note } from './note.js';
import { liveProcess } from './server-record.js';
import { withStateLock } from './state-lock.js';
import { workerMark, workerProcesses } from './server-processes.js';
import { readWorkerRecord, writeWorkerRecord, type WorkerRecord } from './worker-record.js';

const READY_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 120_000;
/** A worker that stops lets go of its trial, which goes on without it; that takes some seconds. */
const STOP_GRACE_MS = 30_000;

export interface WorkerOptions {
  readonly state: StateLayout;
  readonly env: Environment;
  readonly note: Note;
  /** Of this llmx: a worker of another version is replaced. */
  readonly version: string;
  /** Server and namespace the worker must poll: one that polls another is replaced. */
  readonly address: string;
  readonly namespace: string;
  /** Given when the address comes from a flag, which the worker can't see. */
  readonly flagAddress?: string | undefined;
  /** Program of the worker. @defaultValue llmx's own `worker/main.js` */
  readonly workerEntry?: string | undefined;
}

export interface HostWorker {
  readonly pid: number;
  readonly hostId: string;
  readonly taskQueues: readonly string[];
  readonly version: string;
  /** This call started it. */
  readonly started: boolean;
}

export interface WorkerStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly hostId: string | null;
  readonly taskQueues: readonly string[];
  readonly version: string | null;
  readonly ready: boolean;
}

/**
 * The worker of this host, started, restarted or replaced as needed, polling when this returns. Any
 * number of processes may call it at once.
 * @throws LlmxError `worker_start_failed` with the end of its log
 */
export async function ensureWorker(options: WorkerOptions): Promise<HostWorker> {
  const { state } = options;
  await ensurePrivateFolder(state.root);
  const record = await readWorkerRecord(state);
  if (record?.ready === true && isWanted(record, options) && liveProcess(record) !== null) {
    return hostWorker(record, false);
  }
  return underWorkerLock(state, () => ensureUnderLock(options));
}

async function ensureUnderLock(options: WorkerOptions): Promise<HostWorker> {
  const { state, note } = options;
  const record = await readWorkerRecord(state);
  const live = liveProcess(record);
  if (record !== null && live !== null) {
    if (isWanted(record, options)) return await awaitReady(state, live, { started: false });
    note(`${differenceOf(record, options)}; replacing the worker (pid ${live.pid})`);
    await stopProcess(live, STOP_GRACE_MS);
  } else if (record?.process) {
    note(`the background worker (pid ${record.process.pid}) is gone; starting it again`);
  }
  await stopUnrecorded(options);
  return await startWorker(options);
}

async function startWorker(options: WorkerOptions): Promise<HostWorker> {
  const { state } = options;
  const start = await startInBackground({
    ...commandOf(options),
    cwd: state.root,
    logFile: logFileOf(state),
  });
  if (start.kind === 'failed') throw startFailed(state, start.reason);
  const record = await newRecord(options, start.process);
  // A worker that nobody recorded in time has done it itself.
  if ((await readWorkerRecord(state))?.process?.pid !== start.process.pid) {
    await writeWorkerRecord(state, record);
  }
  return await awaitReady(state, start.process, { started: true, logStart: start.logStart });
}

/** The worker itself says in its record that it polls. */
async function awaitReady(
  state: StateLayout,
  worker: ProcessIdentity,
  start: { readonly started: boolean; readonly logStart?: number },
): Promise<HostWorker> {
  const answer = await pollUntil(
    async () => {
      const record = await readWorkerRecord(state);
      if (record?.ready === true && record.process?.pid === worker.pid) return record;
      return isAlive(worker) ? null : ('ended' as const);
    },
    { timeoutMs: READY_TIMEOUT_MS },
  );
  if (answer !== null && answer !== 'ended') return hostWorker(answer, start.started);
  if (answer === null && start.started) await stopProcess(worker, STOP_GRACE_MS);
  const what = answer === null ? 'it did not poll within a minute' : 'it ended';
  const tail = await logTail(logFileOf(state), start.logStart);
  throw startFailed(state, `${what}\n${tail}`.trimEnd());
}

/**
 * Runs the worker in this terminal until it ends; one in the background stops first. It is recorded
 * like any other, so commands find it and `stopWorker` stops it.
 * @returns its exit code
 */
export async function runWorkerHere(options: WorkerOptions): Promise<number> {
  const { state } = options;
  await ensurePrivateFolder(state.root);
  const { process: worker, ended } = await underWorkerLock(state, async () => {
    const live = liveProcess(await readWorkerRecord(state));
    if (live !== null) {
      options.note(`stopping the worker that runs already (pid ${live.pid})`);
      await stopProcess(live, STOP_GRACE_MS);
    }
    await stopUnrecorded(options);
    const run = startInTerminal({ ...commandOf(options), cwd: state.root });
    if (run.process !== null) await writeWorkerRecord(state, await newRecord(options, run.process));
    return run;
  });
  const exitCode = await ended;
  await underWorkerLock(state, async () => {
    const record = await readWorkerRecord(state);
    if (record === null || record.process?.pid !== worker?.pid) return; // another one has taken over
    await writeWorkerRecord(state, { ...record, process: null, ready: false });
  });
  return exitCode;
}

/** @returns whether one was running */
export async function stopWorker(state: StateLayout): Promise<boolean> {
  return underWorkerLock(state, async () => {
    const record = await readWorkerRecord(state);
    const live = liveProcess(record);
    const all = [...(live === null ? [] : [live]), ...(await workerProcesses(state.root))];
    for (const process of all) {
      if ((await stopProcess(process, STOP_GRACE_MS)) === 'still-running') {
        throw new LlmxError('unexpected', { reason: `process ${process.pid} cannot be stopped` });
      }
    }
    if (record !== null) await writeWorkerRecord(state, { ...record, process: null, ready: false });
    return all.length > 0;
  });
}

/** A damaged record hides a worker that runs; two would poll at once, and nobody could stop the first. */
async function stopUnrecorded({ state, note }: WorkerOptions): Promise<void> {
  for (const worker of await workerProcesses(state.root)) {
    note(`stopping a worker (pid ${worker.pid}) that is not recorded`);
    await stopProcess(worker, STOP_GRACE_MS);
  }
}

export async function workerStatus(state: StateLayout): Promise<WorkerStatus> {
  const record = await readWorkerRecord(state);
  const live = liveProcess(record);
  return {
    running: live !== null,
    pid: live?.pid ?? null,
    hostId: record?.hostId ?? (await readHostId(state)),
    taskQueues: record?.taskQueues ?? [],
    version: record?.version ?? null,
    ready: live !== null && record?.ready === true,
  };
}

async function newRecord(options: WorkerOptions, worker: ProcessIdentity): Promise<WorkerRecord> {
  const host = await hostId(options.state);
  return {
    schemaVersion: 1,
    process: worker,
    version: options.version,
    hostId: host,
    taskQueues: [hostTaskQueue(host), trialTaskQueue(host)],
    address: options.address,
    namespace: options.namespace,
    ready: false,
  };
}

function commandOf(options: WorkerOptions): Pick<BackgroundCommand, 'argv' | 'env'> {
  const entry = options.workerEntry ?? fileURLToPath(new URL('../worker/main.js', import.meta.url));
  const argv = [process.execPath, entry, workerMark(options.state.root)] as const;
  return { argv: [...argv], env: workerEnvironment(options) };
}

/** It resolves the server as every command does; only what a flag said must be handed on. */
function workerEnvironment({ env, state, flagAddress }: WorkerOptions): Record<string, string> {
  const given = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return {
    ...Object.fromEntries(given),
    LLMX_STATE_DIR: state.root,
    ...(flagAddress === undefined ? {} : { TEMPORAL_ADDRESS: flagAddress }),
  };
}

function isWanted(record: WorkerRecord, options: WorkerOptions): boolean {
  return (
    record.version === options.version &&
    record.address === options.address &&
    record.namespace === options.namespace
  );
}

function differenceOf(record: WorkerRecord, options: WorkerOptions): string {
  return record.version === options.version
    ? `the worker polls ${record.address} (${record.namespace}), not ${options.address} (${options.namespace})`
    : `the worker is of version ${record.version || 'unknown'}, this is ${options.version}`;
}

function logFileOf(state: StateLayout): string {
  return join(state.logsDir, 'worker.log');
}

function hostWorker(record: WorkerRecord, started: boolean): HostWorker {
  const { hostId, taskQueues, version } = record;
  return { pid: record.process?.pid ?? 0, hostId, taskQueues, version, started };
}

function startFailed(state: StateLayout, reason: string): LlmxError {
  const hint = `read ${logFileOf(state)}, then: llmx-client worker start`;
  return new LlmxError('worker_start_failed', { reason, hint });
}

function underWorkerLock<T>(state: StateLayout, work: () => Promise<T>): Promise<T> {
  const onTimeout = (): LlmxError =>
    startFailed(state, 'another llmx process has been starting or stopping it for two minutes');
  return withStateLock('worker', state, { timeoutMs: LOCK_TIMEOUT_MS, onTimeout }, work);
}
