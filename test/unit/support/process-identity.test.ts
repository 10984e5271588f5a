import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  bootId,
  identityOf,
  isAlive,
  ownIdentity,
  type ProcessIdentity,
} from '../../../src/support/process-identity.js';
import { pollUntil } from '../../../src/support/poll.js';

const sleeper = (): ChildProcess => spawn('sleep', ['60'], { stdio: 'ignore' });

/** @throws when there is no such process */
function requiredIdentity(pid: number | undefined): ProcessIdentity {
  const identity = pid === undefined ? null : identityOf(pid);
  if (identity === null) throw new Error(`no process ${pid}`);
  return identity;
}

describe('the identity of a process', () => {
  it('is the same whenever it is asked for, and another for each process', async () => {
    const [one, two] = [sleeper(), sleeper()];
    const [first, second] = [requiredIdentity(one.pid), requiredIdentity(two.pid)];
    expect(requiredIdentity(one.pid)).toEqual(first);
    expect(first.pid).not.toBe(second.pid);
    expect(first.bootId).toBe(bootId());
    expect([isAlive(first), isAlive(second), isAlive(ownIdentity())]).toEqual([true, true, true]);
    const ended = [once(one, 'exit'), once(two, 'exit')];
    one.kill('SIGKILL');
    two.kill('SIGKILL');
    await Promise.all(ended);
    expect([isAlive(first), isAlive(second)]).toEqual([false, false]);
    expect(identityOf(first.pid)).toBeNull();
  });

  it('is not that of a later process with the same pid, nor of one before the last boot', () => {
    const own = ownIdentity();
    expect(isAlive({ ...own, startTime: `${own.startTime}0` })).toBe(false);
    expect(isAlive({ ...own, bootId: 'another' })).toBe(false);
  });

  it('ends with the process, though nobody has collected its exit yet', async () => {
    // The shell becomes a sleep that never waits for its child, which ends a second later.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString('utf8'));
    const stateOf = (): string =>
      execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const zombie = await pollUntil(() => (stateOf().startsWith('Z') ? true : null), {
      timeoutMs: 10_000,
    });
    expect(zombie).toBe(true);
    expect(identityOf(pid)).toBeNull();
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
  });

  it('survives a name with spaces and parentheses', async () => {
    const child = spawn(
      process.execPath,
      ['-e', "process.title = 'a) R 1 (b'; setInterval(() => 0, 1e6); console.log('named')"],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const before = requiredIdentity(child.pid);
    await once(child.stdout, 'data');
    expect(identityOf(before.pid)).toEqual(before);
    expect(isAlive(before)).toBe(true);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
});
