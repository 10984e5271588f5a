import { resolve } from 'node:path';
import type { StateLayout } from '../storage/state-layout.js';
import { sha256 } from '../support/hash.js';
import { acquireKernelLock } from '../support/kernel-lock.js';

/**
 * Runs `work` while no other llmx process with the same state folder does. The kernel gives the lock
 * back when its holder is killed.
 * @throws what `onTimeout` makes, when the lock is not free in time
 */
export async function withStateLock<T>(
  name: 'server' | 'worker',
  state: StateLayout,
  options: { readonly timeoutMs: number; readonly onTimeout: () => Error },
  work: () => Promise<T>,
): Promise<T> {
  const folder = sha256(resolve(state.root)).slice(0, 16);
  const signal = AbortSignal.timeout(options.timeoutMs);
  const lock = await acquireKernelLock(`${name}-${folder}`, { signal }).catch((error: unknown) => {
    throw signal.aborted ? options.onTimeout() : error;
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
