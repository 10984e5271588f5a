import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { endMonitors } from '../../src/runtimes/containers/podman-monitors.js';
import { pollUntil } from '../../src/support/poll.js';

/** A process that looks like a monitor of podman: it waits for another one, which nobody will ever start. */
function monitor(container: string): ChildProcess {
  const argv = ['-c', 'sleep 600 & echo $!; wait', 'sh', '-n', container];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return spawn('sh', argv, { argv0: '/usr/bin/conmon', stdio: [...stdio] });
}

async function firstProcessOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('a monitor says whom it waits for');
  const [chunk] = (await once(stdout, 'data')) as [Buffer];
  return Number(chunk.toString());
}

async function isGone(pid: number): Promise<true | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null || /\) [ZX]/.test(stat) ? true : null;
}

describe('monitors that podman has forgotten', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  it('are ended with all that they wait for, and those of other containers are not', async () => {
    const own = monitor('llmx-test-forgotten');
    const other = monitor('llmx-test-forgotten-too');
    started.push(own, other);
    const pids = await Promise.all(started.map(firstProcessOf));
    expect(await endMonitors('llmx-test-forgotten')).toBe(true);
    expect(await pollUntil(() => isGone(pids[0] ?? 0), { timeoutMs: 5_000 })).toBe(true);
    expect(await pollUntil(() => isGone(own.pid ?? 0), { timeoutMs: 5_000 })).toBe(true);
    expect(other.exitCode).toBeNull();
    expect(await isGone(pids[1] ?? 0)).toBeNull();
    process.kill(pids[1] ?? 0, 'SIGKILL');
  });

  it('are none where there never was such a container', async () => {
    expect(await endMonitors('llmx-test-never-there')).toBe(true);
  });
});
