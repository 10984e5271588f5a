import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tryKernelLock } from '../../src/support/kernel-lock.js';
import { attachOrStart } from '../../src/trial/attach-or-start.js';
import type { TrialRequest } from '../../src/trial/trial-request.js';
import { HostileLab, processesWith } from './support/hostile-lab.js';
import { until } from './support/trial-harness.js';

jest.setTimeout(60_000);

let lab: HostileLab;
beforeAll(async () => {
  lab = await HostileLab.make();
});
afterAll(async () => {
  await lab.remove();
});

const LONG = { agentTimeoutMs: 300_000, testTimeoutMs: 20_000, killGraceMs: 300 };

/** Starts a trial whose agent sleeps, and lets go of it. @returns its processes */
async function startAndLeave(token: string): Promise<{
  readonly request: TrialRequest;
  readonly supervisor: number;
  readonly program: number;
  readonly agent: number;
}> {
  const request = lab.request('never-reads.sh', token, { times: LONG });
  const caller = new AbortController();
  const answer = attachOrStart(request, lab.trials.host, { signal: caller.signal });
  const agent = await until('the agent', () => processesWith(token)[0], 30_000);
  const { pid } = await lab.trials.supervisorOf(request);
  caller.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
  return { request, supervisor: pid, program: parentOf(agent), agent };
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** What a process has open, as the kernel names it. */
function openBy(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return ''; // closed in between
    }
  });
}

function lockSocket(name: string): string {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  // Connections to it bear its name too; this one listens.
  const listening = rows.map((row) => row.split(/\s+/)).filter((row) => row[3] === '00010000');
  const inode = listening.find((row) => row[7]?.replace(/@+$/, '') === `@llmx-${name}`)?.[6];
  return `socket:[${inode ?? 'none'}]`;
}

describe('a trial program whose supervisor is killed', () => {
  it('ends itself and the agent at once, although nobody looks after them, and frees the host', async () => {
    const token = lab.token();
    const { request, supervisor } = await startAndLeave(token);
    process.kill(supervisor, 'SIGKILL');
    await until('the end of the agent', () => processesWith(token).length === 0, 5_000);
    await until('the end of the program', async () => (await lab.trials.processesLeft()) === 0);
    const lock = await tryKernelLock(lab.trials.host.hostLock);
    expect(lock).not.toBeNull();
    await lock?.release();
    const answer = await attachOrStart(request, lab.trials.host);
    expect(answer).toMatchObject({
      kind: 'record',
      attempt: { meta: { aborted: 'supervisor_died', leftovers_killed: 0 } },
    });
  });

  it('holds the host until it is gone, which its agent does not', async () => {
    const { hostLock } = lab.trials.host;
    const token = lab.token();
    const { request, supervisor, program, agent } = await startAndLeave(token);
    const socket = lockSocket(hostLock);
    expect(socket).toMatch(/\[\d+\]/);
    expect(openBy(supervisor)).toContain(socket);
    expect(openBy(program)).toContain(socket);
    expect(openBy(agent)).not.toContain(socket);
    expect(openBy(agent).filter((name) => name.startsWith('socket:'))).toEqual([]);
    // A program that stands still can't notice anything: the host must stay taken.
    process.kill(program, 'SIGSTOP');
    process.kill(supervisor, 'SIGKILL');
    await until('the end of the supervisor', () => !openTo(supervisor));
    expect(await tryKernelLock(hostLock)).toBeNull();
    // Whoever wants the host next ends what is left of the dead trial.
    const end = await lab.run('closes-everything.sh');
    expect(end.meta).toMatchObject({ status: 'valid', agent_exit: 5 });
    expect(end.meta['leftovers_before']).toBeGreaterThan(1);
    expect(processesWith(token)).toEqual([]);
    await attachOrStart(request, lab.trials.host);
  });
});

function openTo(pid: number): boolean {
  try {
    return openBy(pid).length > 0;
  } catch {
    return false; // gone
  }
}
