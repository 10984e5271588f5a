import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateLayout, type StateLayout } from '../../src/storage/state-layout.js';
import { identityOf, isAlive } from '../../src/support/process-identity.js';
import {
  ensureWorker,
  runWorkerHere,
  stopWorker,
  workerStatus,
  type HostWorker,
  type WorkerOptions,
} from '../../src/temporal/background-worker.js';
import { markWorkerReady, readWorkerRecord } from '../../src/temporal/worker-record.js';

const fixture = (name: string): string =>
  join(import.meta.dirname, '..', 'fixtures', 'workers', name);

let folder: string;
let state: StateLayout;
let notes: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-worker-'));
  state = stateLayout(join(folder, 'state'));
  notes = [];
});

afterEach(async () => {
  await stopWorker(state);
  await rm(folder, { recursive: true, force: true });
});

const options = (changes: Partial<WorkerOptions> = {}): WorkerOptions => ({
  state,
  env: process.env,
  note: (text) => notes.push(text),
  version: '1.0.0',
  address: '127.0.0.1:7233',
  namespace: 'default',
  workerEntry: fixture('polls.mjs'),
  ...changes,
});
const ensure = (changes: Partial<WorkerOptions> = {}): Promise<HostWorker> =>
  ensureWorker(options(changes));
const alive = (pid: number): boolean => {
  const identity = identityOf(pid);
  return identity !== null && isAlive(identity);
};

describe('the background worker', () => {
  it('is started once when several ask for it at the same time', async () => {
    const workers = await Promise.all([ensure(), ensure(), ensure()]);
    expect(new Set(workers.map(({ pid }) => pid)).size).toBe(1);
    expect(workers.filter(({ started }) => started)).toHaveLength(1);
    expect(notes).toEqual([]);
  });

  it('is named by the host, and its status says so', async () => {
    const worker = await ensure();
    expect(worker.hostId).toMatch(/^[0-9a-f]{12}$/);
    expect(await workerStatus(state)).toEqual({
      running: true,
      pid: worker.pid,
      hostId: worker.hostId,
      taskQueues: [`llmx-host-${worker.hostId}`, `llmx-host-${worker.hostId}-trial`],
      version: '1.0.0',
      ready: true,
    });
  });

  it('comes back after kill -9, and says so', async () => {
    const first = await ensure();
    process.kill(first.pid, 'SIGKILL');
    await gone(first.pid);
    const second = await ensure();
    expect(second.started).toBe(true);
    expect(notes.join()).toContain(`pid ${first.pid}`);
  });

  it.each([
    ['version', { version: '2.0.0' }, 'version 1.0.0, this is 2.0.0'],
    ['server', { address: '127.0.0.1:9999' }, 'polls 127.0.0.1:7233'],
    ['namespace', { namespace: 'other' }, '(default)'],
  ] as const)('is replaced when it is of another %s', async (_what, changes, said) => {
    const first = await ensure();
    const second = await ensure(changes);
    expect(second.pid).not.toBe(first.pid);
    expect(alive(first.pid)).toBe(false);
    expect(notes.join()).toContain(said);
  });

  it('is replaced when its record is damaged, and stop finds it all the same', async () => {
    const lost = await ensure();
    await writeFile(state.workerFile, '{"process": ');
    const found = await ensure();
    expect(found.pid).not.toBe(lost.pid);
    expect(alive(lost.pid)).toBe(false);
    expect(notes.join()).toContain(`pid ${lost.pid}`);
    await writeFile(state.workerFile, '');
    expect(await stopWorker(state)).toBe(true);
    expect(alive(found.pid)).toBe(false);
  });

  it('stops, and a second stop has nothing to do', async () => {
    const { pid } = await ensure();
    expect(await stopWorker(state)).toBe(true);
    expect(alive(pid)).toBe(false);
    expect(await stopWorker(state)).toBe(false);
    expect(await workerStatus(state)).toMatchObject({ running: false, pid: null, ready: false });
    notes = [];
    expect((await ensure()).started).toBe(true);
    expect(notes).toEqual([]);
  });

  it('shows the end of its log when it cannot start', async () => {
    await expect(ensure({ workerEntry: fixture('ends-at-once.mjs') })).rejects.toMatchObject({
      code: 'worker_start_failed',
      message: expect.stringContaining('the bundle is missing'),
    });
  });

  it('gives way to one that runs in the terminal, which is found and stopped like any other', async () => {
    const background = await ensure();
    const running = runWorkerHere(options());
    const here = await until(async () => {
      const { pid, ready } = await workerStatus(state);
      return ready && pid !== background.pid ? pid : null;
    });
    expect(alive(background.pid)).toBe(false);
    expect(await ensure()).toMatchObject({ pid: here, started: false });
    expect(await stopWorker(state)).toBe(true);
    expect(await running).toBe(0);
  });
});

describe('markWorkerReady', () => {
  const record = (): Parameters<typeof markWorkerReady>[1] => ({
    version: '1.0.0',
    hostId: 'abcdefabcdef',
    taskQueues: [],
    address: '127.0.0.1:7233',
    namespace: 'default',
  });

  it('refuses while another worker of the state folder runs', async () => {
    const { pid } = await ensure();
    await expect(markWorkerReady(state, record())).rejects.toMatchObject({
      code: 'worker_start_failed',
      message: expect.stringContaining(`pid ${pid}`),
    });
  }, 15_000);

  it('records the worker by itself when whoever started it is gone', async () => {
    await markWorkerReady(state, record());
    expect(await readWorkerRecord(state)).toMatchObject({
      ready: true,
      process: { pid: process.pid },
    });
    // This very process must not be stopped as a worker.
    await rm(state.workerFile);
  }, 15_000);
});

async function gone(pid: number): Promise<void> {
  await until(() => Promise.resolve(alive(pid) ? null : true));
}

async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error('the condition did not come true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
