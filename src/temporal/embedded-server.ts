import { LlmxError } from '../errors/llmx-error.js';
import type { StateLayout } from '../storage/state-layout.js';
import type { Environment } from '../support/paths.js';
import { ensurePrivateFolder } from '../support/private-folder.js';
import { stopProcess } from './background-process.js';
import type { ServerTarget } from './connect.js';
import { findProgram } from './find-program.js';
import { awaitServing, isServing } from './health.js';
import { launchServer } from './launch-server.js';
import { keepHistories, registerSearchAttributes } from './namespace.js';
import type { Note } from './note.js';
import { asServiceError } from './service-errors.js';
import {
  liveProcess,
  readServerRecord,
  serverAddress,
  serverUiUrl,
  writeServerRecord,
  type ServerRecord,
} from './server-record.js';
import { serverProcesses } from './server-processes.js';
import { withStateLock } from './state-lock.js';

export const EMBEDDED_NAMESPACE = 'default';
const HEALTH_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 10_000;

export interface ServerOptions {
  readonly state: StateLayout;
  readonly env: Environment;
  readonly note: Note;
}

export interface EmbeddedServer extends ServerTarget {
  readonly uiUrl: string;
  readonly pid: number;
  /** This call started it. */
  readonly started: boolean;
  /** Whether workflows may set llmx's search attributes. */
  readonly searchAttributes: boolean;
}

export interface ServerStatus {
  readonly running: boolean;
  readonly pid: number | null;
  /** Of the running server, or where the next one will be; null before the first start. */
  readonly address: string | null;
  readonly uiUrl: string | null;
  readonly dbFile: string;
  /** It answers over gRPC. */
  readonly serving: boolean;
}

/**
 * The embedded server of this state folder, started or restarted when it does not run. Any number of
 * processes may call it at once: one starts the server, all get the same.
 * @throws LlmxError `temporal_program_missing`, `server_start_failed`, `temporal_unreachable`
 */
export async function ensureServer(options: ServerOptions): Promise<EmbeddedServer> {
  const { state } = options;
  await ensurePrivateFolder(state.root);
  const record = await readServerRecord(state);
  if (record?.ready === true && liveProcess(record) !== null) {
    if (await isServing(serverAddress(record))) return describe(record, false);
  }
  // Finding a program may mean building one, so it comes before the lock.
  const program = liveProcess(record) === null ? await findProgram(options) : null;
  return underServerLock(state, () => ensureUnderLock(options, program));
}

async function ensureUnderLock(
  options: ServerOptions,
  program: string | null,
): Promise<EmbeddedServer> {
  const { state, note } = options;
  const record = await readServerRecord(state);
  const running = record !== null && liveProcess(record) !== null ? record : null;
  const settled = running && (await settle(state, running, false));
  if (settled !== null) return settled;
  if (record?.process) {
    note(`the embedded Temporal server (pid ${record.process.pid}) is gone; starting it again`);
  }
  await stopUnrecorded(options);
  const launched = await launchServer({
    ...options,
    program: program ?? (await findProgram(options)),
    remembered: record,
  });
  const server = await settle(state, launched, true);
  if (server === null) throw unusable(launched, 'its process ended');
  return server;
}

/**
 * Waits for a process that runs and prepares its namespace once.
 * @returns null when the process ended meanwhile
 */
async function settle(
  state: StateLayout,
  record: ServerRecord,
  started: boolean,
): Promise<EmbeddedServer | null> {
  const process = liveProcess(record);
  if (process === null) return null;
  const health = await awaitServing(serverAddress(record), process, HEALTH_TIMEOUT_MS);
  if (health.kind === 'died') return null;
  if (health.kind === 'silent') throw unusable(record, `its process ${process.pid} is silent`);
  try {
    if (record.ready) return describe(record, started);
    await keepHistories(health.connection, EMBEDDED_NAMESPACE);
    const searchAttributes = await registerSearchAttributes(health.connection, EMBEDDED_NAMESPACE);
    const ready = { ...record, searchAttributes, ready: true };
    await writeServerRecord(state, ready);
    return describe(ready, started);
  } catch (error) {
    throw asServiceError(error, { address: serverAddress(record), embedded: true });
  } finally {
    await health.connection.close();
  }
}

function unusable(record: ServerRecord, reason: string): LlmxError {
  const hint = 'llmx-client server stop';
  return new LlmxError('temporal_unreachable', { address: serverAddress(record), reason, hint });
}

/** @returns whether one was running */
export async function stopServer(state: StateLayout): Promise<boolean> {
  return underServerLock(state, async () => {
    const record = await readServerRecord(state);
    const live = liveProcess(record);
    const all = [...(live === null ? [] : [live]), ...(await serverProcesses(state.databaseFile))];
    for (const process of all) {
      const outcome = await stopProcess(process, STOP_GRACE_MS);
      if (outcome === 'still-running') {
        throw new LlmxError('unexpected', { reason: `process ${process.pid} cannot be stopped` });
      }
    }
    // The ports stay recorded: a later start uses them again, so that links stay valid.
    if (record !== null) await writeServerRecord(state, { ...record, process: null, ready: false });
    return all.length > 0;
  });
}

export async function serverStatus(state: StateLayout): Promise<ServerStatus> {
  const record = await readServerRecord(state);
  const process = liveProcess(record);
  return {
    running: process !== null,
    pid: process?.pid ?? null,
    address: record === null ? null : serverAddress(record),
    uiUrl: record === null ? null : serverUiUrl(record),
    dbFile: state.databaseFile,
    serving: record !== null && process !== null && (await isServing(serverAddress(record))),
  };
}

/** Whoever started one may have been killed before it could record it: two on one database would spoil it. */
async function stopUnrecorded({ state, note }: ServerOptions): Promise<void> {
  for (const process of await serverProcesses(state.databaseFile)) {
    note(`stopping a Temporal server (pid ${process.pid}) that a killed llmx left behind`);
    await stopProcess(process, STOP_GRACE_MS);
  }
}

function underServerLock<T>(state: StateLayout, work: () => Promise<T>): Promise<T> {
  const onTimeout = (): LlmxError =>
    new LlmxError('server_start_failed', {
      reason: 'another llmx process has been starting or stopping it for two minutes',
      hint: 'llmx-client server status',
    });
  return withStateLock('server', state, { timeoutMs: LOCK_TIMEOUT_MS, onTimeout }, work);
}

function describe(record: ServerRecord, started: boolean): EmbeddedServer {
  return {
    address: serverAddress(record),
    uiUrl: serverUiUrl(record),
    namespace: EMBEDDED_NAMESPACE,
    embedded: true,
    credentials: {},
    pid: record.process?.pid ?? 0,
    started,
    searchAttributes: record.searchAttributes,
  };
}
