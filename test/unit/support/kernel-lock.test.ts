import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { acquireKernelLock, tryKernelLock } from '../../../src/support/kernel-lock.js';

let count = 0;
const newName = (): string => `test-${process.pid}-${(count += 1)}`;

/** A process that does nothing but hold a descriptor. */
function holder(fd: number): ChildProcess {
  return spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
}

describe('a lock of the kernel', () => {
  it('is taken once, and again after its release', async () => {
    const name = newName();
    const lock = await tryKernelLock(name);
    expect(await tryKernelLock(name)).toBeNull();
    await lock?.release();
    const again = await tryKernelLock(name);
    expect(again).not.toBeNull();
    await again?.release();
  });

  it('stays taken until the process that inherited it is gone', async () => {
    const name = newName();
    const lock = await acquireKernelLock(name);
    const child = holder(lock.fd ?? -1);
    await lock.release();
    expect(await tryKernelLock(name)).toBeNull();
    const next = acquireKernelLock(name);
    child.kill('SIGKILL');
    await (await next).release();
  });

  it('lets who waits act before every wait, so that it can end a dead holder’s process', async () => {
    const name = newName();
    const lock = await acquireKernelLock(name);
    const child = holder(lock.fd ?? -1);
    const gone = once(child, 'exit');
    await lock.release();
    let waits = 0;
    const next = await acquireKernelLock(name, {
      beforeWait: () => {
        waits += 1;
        child.kill('SIGKILL');
        return Promise.resolve();
      },
    });
    expect(waits).toBeGreaterThan(0);
    await gone;
    await next.release();
  });

  it('can’t be waited for by one who was told to give up', async () => {
    const name = newName();
    const lock = await acquireKernelLock(name);
    const giveUp = new AbortController();
    const next = acquireKernelLock(name, { signal: giveUp.signal });
    giveUp.abort(new Error('no longer'));
    await expect(next).rejects.toThrow('no longer');
    await lock.release();
  });
});
