import type { StateLayout } from '../storage/state-layout.js';
import { readJsonIfExists, writeJsonAtomic } from '../support/atomic-file.js';
import { isAlive, type ProcessIdentity } from '../support/process-identity.js';
import type { ServerPorts } from './ports.js';

/** `server.json`: the embedded server of this state folder. It outlives the process, for its ports. */
export interface ServerRecord extends ServerPorts {
  readonly schemaVersion: 1;
  /** Null after a stop. */
  readonly process: ProcessIdentity | null;
  /** Its namespace has been prepared: nothing is left to do but connect. */
  readonly ready: boolean;
  /** Whether llmx's search attributes could be registered. */
  readonly searchAttributes: boolean;
}

/** Null when there is none, or none that can be read: then a new one takes its place. */
export async function readServerRecord(state: StateLayout): Promise<ServerRecord | null> {
  const raw = await readRecord(state.serverFile);
  if (raw === null || !Number.isInteger(raw['port']) || !Number.isInteger(raw['uiPort'])) {
    return null;
  }
  return {
    schemaVersion: 1,
    port: raw['port'] as number,
    uiPort: raw['uiPort'] as number,
    process: asIdentity(raw['process']),
    ready: raw['ready'] === true,
    searchAttributes: raw['searchAttributes'] === true,
  };
}

export async function writeServerRecord(state: StateLayout, record: ServerRecord): Promise<void> {
  await writeJsonAtomic(state.serverFile, record, { mode: 0o600 });
}

export function serverAddress(ports: ServerPorts): string {
  return `127.0.0.1:${ports.port}`;
}

export function serverUiUrl(ports: ServerPorts): string {
  return `http://127.0.0.1:${ports.uiPort}`;
}

/** The recorded process while it is the one that runs. */
export function liveProcess(
  record: { readonly process: ProcessIdentity | null } | null,
): ProcessIdentity | null {
  const identity = record?.process ?? null;
  return identity !== null && isAlive(identity) ? identity : null;
}

/** The object in a JSON file; null when the file is missing, broken or holds something else. */
export async function readRecord(path: string): Promise<Record<string, unknown> | null> {
  const raw = await readJsonIfExists(path).catch((error: unknown) => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : null;
}

export function asIdentity(raw: unknown): ProcessIdentity | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const { pid, startTime, bootId } = raw as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof bootId !== 'string') {
    return null;
  }
  return { pid, startTime, bootId };
}
