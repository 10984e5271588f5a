import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { acquireKernelLock, tryKernelLock } from '../../../src/support/kernel-lock.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';
import { programOf, startProgram, type RunningProgram } from '../../fixtures/run-module.js';

jest.setTimeout(30_000);

/** Takes the lock that is named, says so, and holds it until it is killed or told to release. */
const HOLDER = `
import { acquireKernelLock } from './src/support/kernel-lock.js';
const lock = await acquireKernelLock(process.argv[2] ?? '', { onWait: () => console.log('waiting') });
process.once('SIGUSR2', () => void lock.release().then(() => console.log('released')));
console.log('held');
setInterval(() => undefined, 60_000);
`;

let dir = '';
let holder = '';
let running: RunningProgram[] = [];
let name = '';

beforeAll(async () => {
  dir = await temporaryFolder();
  holder = await programOf(HOLDER, dir, 'holder');
});

afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** A lock of this test alone: locks have no folder that would keep them apart. */
function freshName(): string {
  name = `test-${process.pid}-${process.hrtime.bigint()}`;
  return name;
}

function hold(lockName = name): RunningProgram {
  const program = startProgram(holder, lockName);
  running.push(program);
  return program;
}

describe('a lock of the kernel between processes', () => {
  it('is released by the kernel when its holder is killed, and the one who waits gets it', async () => {
    const first = hold(freshName());
    await first.printed('held');
    expect(await tryKernelLock(name)).toBeNull();
    const second = hold();
    await second.printed('waiting');

    first.child.kill('SIGKILL');

    await second.printed('held');
    expect(await tryKernelLock(name)).toBeNull();
  });

  it('goes to one after the other of those who wait', async () => {
    const first = hold(freshName());
    await first.printed('held');
    const waiting = [hold(), hold(), hold()];
    await Promise.all(waiting.map((each) => each.printed('waiting')));

    first.child.kill('SIGKILL');
    let left = waiting;
    while (left.length > 0) {
      const next = await Promise.any(left.map((each) => each.printed('held').then(() => each)));
      expect(await tryKernelLock(name)).toBeNull();
      left = left.filter((each) => each !== next);
      const holdersNow = left.map((each) =>
        Promise.race([each.printed('held').then(() => true), tick()]),
      );
      expect(await Promise.all(holdersNow)).toEqual(left.map(() => false));
      next.child.kill('SIGKILL');
    }
    await Promise.all(waiting.map(({ ended }) => ended));
    const free = await tryKernelLock(name);
    expect(free).not.toBeNull();
    await free?.release();
  });

  it('is passed on by a release while another process waits', async () => {
    const first = hold(freshName());
    await first.printed('held');
    const waits = acquireKernelLock(name, {
      onWait: () => {
        first.child.kill('SIGUSR2');
      },
    });
    await first.printed('released');
    await (await waits).release();
  });

  it('does not keep its holder running', async () => {
    const code = `
import { acquireKernelLock } from './src/support/kernel-lock.js';
await acquireKernelLock(process.argv[2] ?? '');
console.log('held');
`;
    const program = startProgram(await programOf(code, dir, 'ends'), freshName());
    running.push(program);
    await program.printed('held');
    await program.ended;
    expect(program.child.exitCode).toBe(0);
  });
});

/** One turn of the event loop: what has already happened is told by then. */
function tick(): Promise<false> {
  return new Promise((resolve) => {
    setImmediate(() => {
      resolve(false);
    });
  });
}
