import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { StateLayout } from '../storage/state-layout.js';
import { createFileAtomic, isErrno } from '../support/atomic-file.js';
import { sha256 } from '../support/hash.js';
import { ensurePrivateFolder } from '../support/private-folder.js';

const HOST_ID = /^[0-9a-f]{12}$/;

/**
 * Names this machine and state folder in task queues. Written once, so that a new host name or
 * machine id later does not orphan the queues.
 */
export async function hostId(state: StateLayout): Promise<string> {
  const known = await readHostId(state);
  if (known !== null) return known;
  await ensurePrivateFolder(state.root);
  const derived = sha256([await machineId(), hostname(), state.root].join('\n')).slice(0, 12);
  const created = await createFileAtomic(state.hostIdFile, `${derived}\n`, { mode: 0o600 });
  return created ? derived : ((await readHostId(state)) ?? derived);
}

/** Null when this state folder has none yet (or a broken one). */
export async function readHostId(state: StateLayout): Promise<string | null> {
  const text = await readIfThere(state.hostIdFile);
  return text !== null && HOST_ID.test(text.trim()) ? text.trim() : null;
}

async function machineId(): Promise<string> {
  return (await readIfThere('/etc/machine-id')) ?? '';
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') || isErrno(error, 'EACCES')) {
      return null;
    }
    throw error;
  });
}
