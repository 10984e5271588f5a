import { realpath } from 'node:fs/promises';
import { sha256 } from '../../support/hash.js';
import { acquireKernelLock } from '../../support/kernel-lock.js';

const LOCK_TIMEOUT_MS = 30_000;

/** One writer of the store at a time, on this machine; its folder is there. */
export async function withStoreLock<T>(root: string, write: () => Promise<T>): Promise<T> {
  const name = `auth-${sha256(await realpath(root)).slice(0, 24)}`;
  const lock = await acquireKernelLock(name, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) });
  try {
    return await write();
  } finally {
    await lock.release();
  }
}
