import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findMarked, type MarkedProcess } from '../../src/runtimes/marked-processes.js';
import { stateLayout, type StateLayout } from '../../src/storage/state-layout.js';
import { pollUntil } from '../../src/support/poll.js';
import { isAlive, type ProcessIdentity } from '../../src/support/process-identity.js';
import { connectClient, type TemporalClient } from '../../src/temporal/connect.js';
import { readState } from '../../src/temporal/grid-state.js';
import { readServerRecord, serverAddress } from '../../src/temporal/server-record.js';
import { readWorkerRecord } from '../../src/temporal/worker-record.js';
import { stateIdOf } from '../../src/trial/ids.js';
import { FaultLab } from './support/fault-lab.js';

jest.setTimeout(180_000);

interface Recovery {
  /** From the signal to the end of the worker. */
  readonly stoppedSeconds: number;
  /** From the moment at which a worker is back, or the trial's end if that is later. */
  readonly collectedSeconds: number;
}

const labs: FaultLab[] = [];
async function newLab(...args: Parameters<typeof FaultLab.make>): Promise<FaultLab> {
  const lab = await FaultLab.make(...args);
  labs.push(lab);
  return lab;
}

let lab: FaultLab;
let state: StateLayout;
beforeEach(async () => {
  lab = await newLab();
  state = stateLayout(lab.stateDir);
});
afterEach(async () => {
  for (const each of labs) await each.hold(false);
  for (const each of labs) await each.stop();
  for (const each of labs.splice(0)) await each.remove();
});

async function connect(): Promise<TemporalClient> {
  const server = await readServerRecord(state);
  if (server === null) throw new Error('no server is recorded');
  const target = { address: serverAddress(server), namespace: 'default', uiUrl: null };
  return connectClient({ ...target, embedded: true, credentials: {} });
}

/** Resolves when another worker than this one polls. */
async function anotherWorkerPolls(old: ProcessIdentity): Promise<number> {
  const ask = async (): Promise<number | null> => {
    const record = await readWorkerRecord(state);
    const isBack = record?.ready === true && record.process?.pid !== old.pid;
    return isBack ? performance.now() : null;
  };
  const at = await pollUntil(ask, { timeoutMs: 90_000, intervalMs: 20 });
  if (at === null) throw new Error('no worker came back within 90 s');
  return at;
}

function trialProcesses(): Promise<readonly MarkedProcess[]> {
  return findMarked({ stateId: stateIdOf(state.root), trialHash: null, root: null });
}

async function recordsOnDisk(): Promise<number> {
  const names = await readdir(join(lab.dir, 'results-raw'), { recursive: true });
  return names.filter((name) => name.endsWith('/meta.json')).length;
}

/** Ends the worker while a trial runs, has `status` bring another, and lets the trial end then. */
async function recoverFrom(name: 'SIGKILL' | 'SIGTERM'): Promise<Recovery> {
  await lab.hold(true);
  const { workflowId } = (await lab.cli('start-grid', '--json')).json<{ workflowId: string }>();
  await lab.agentStarts(1);
  const before = await trialProcesses();
  expect(before.length).toBeGreaterThan(0);

  const worker = (await readWorkerRecord(state))?.process;
  if (worker == null) throw new Error('no worker is recorded');
  const signalledMs = performance.now();
  process.kill(worker.pid, name);
  const isGone = (): true | null => (isAlive(worker) ? null : true);
  expect(await pollUntil(isGone, { timeoutMs: 30_000, intervalMs: 20 })).toBe(true);
  const stoppedSeconds = (performance.now() - signalledMs) / 1000;

  const [status, backMs] = await Promise.all([lab.cli('status'), anotherWorkerPolls(worker)]);
  expect(status.stderr).toMatch(/worker .*is gone; starting it again/);
  expect(await trialProcesses()).toEqual(before);
  expect(await lab.runs()).toHaveLength(1);
  const services = await connect();
  try {
    const grid = services.client.workflow.getHandle(workflowId);
    await lab.hold(false);
    const isRecorded = async (): Promise<true | null> =>
      (await recordsOnDisk()) > 0 ? true : null;
    expect(await pollUntil(isRecorded, { timeoutMs: 60_000, intervalMs: 20 })).toBe(true);
    const fromMs = Math.max(backMs, performance.now());
    const isCollected = async (): Promise<true | null> =>
      ((await readState(grid))?.counters.attempted ?? 0) > 0 ? true : null;
    expect(await pollUntil(isCollected, { timeoutMs: 60_000, intervalMs: 20 })).toBe(true);
    return { stoppedSeconds, collectedSeconds: (performance.now() - fromMs) / 1000 };
  } finally {
    await services.close();
  }
}

async function expectOneRunEach(): Promise<void> {
  await lab.resultsOnDisk(2);
  expect(await lab.runs()).toHaveLength(2);
  expect((await lab.attempts()).map(({ meta }) => meta['status'])).toEqual(['valid', 'valid']);
}

/** The figure is part of what a failure shows. */
function expectWithin(recovery: Recovery, limits: Recovery): void {
  const late = (Object.keys(limits) as (keyof Recovery)[]).filter(
    (name) => recovery[name] > limits[name],
  );
  expect({ late, ...recovery }).toEqual({ late: [], ...recovery });
}

describe('a trial whose worker goes away', () => {
  it('after kill -9 goes on untouched and is collected within 15 s of a worker being back', async () => {
    const recovery = await recoverFrom('SIGKILL');
    expectWithin(recovery, { stoppedSeconds: 5, collectedSeconds: 15 });
    await expectOneRunEach();
  });

  it('after SIGTERM goes on untouched and is collected within 5 s of a worker being back', async () => {
    const recovery = await recoverFrom('SIGTERM');
    expectWithin(recovery, { stoppedSeconds: 10, collectedSeconds: 5 });
    await expectOneRunEach();
  });
});

describe('a worker that hangs', () => {
  it('does not make status hang', async () => {
    await lab.hold(true);
    await lab.cli('start-grid', '--json');
    await lab.agentStarts(1);
    const pid = (await readWorkerRecord(state))?.process?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    const startedMs = performance.now();
    expect(await lab.status()).toMatchObject({ phase: 'running', done: 0 });
    const seconds = (performance.now() - startedMs) / 1000;
    process.kill(pid, 'SIGCONT');
    expect(seconds).toBeLessThan(25);
  });
});

describe('a second grid on the same host', () => {
  it('is through its preflight while the trial of the first still runs', async () => {
    const second = await newLab({ name: 'second', stateDir: lab.stateDir });
    await lab.hold(true);
    await lab.cli('start-grid', '--json');
    await lab.agentStarts(1);

    const started = await second.cli('start-grid', '--json');
    expect(started.exit).toBe(0);
    expect(await second.status()).toMatchObject({ phase: 'running', verdict: 'GREEN', done: 0 });
    expect(await second.runs()).toHaveLength(0);
    expect((await lab.runs()).map(({ endNs }) => endNs)).toEqual([null]);

    await lab.hold(false);
    await lab.resultsOnDisk(2);
    await second.resultsOnDisk(2);
  });
});
