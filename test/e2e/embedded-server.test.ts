import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TypedSearchAttributes } from '@temporalio/common';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateLayout, type StateLayout } from '../../src/storage/state-layout.js';
import { identityOf, isAlive } from '../../src/support/process-identity.js';
import { runCommand } from '../../src/support/run-command.js';
import { connectClient, type TemporalClient } from '../../src/temporal/connect.js';
import {
  ensureServer,
  serverStatus,
  stopServer,
  type EmbeddedServer,
} from '../../src/temporal/embedded-server.js';
import { findProgram } from '../../src/temporal/find-program.js';
import {
  LLMX_DONE,
  LLMX_EXPERIMENT,
  LLMX_SEARCH_ATTRIBUTES,
} from '../../src/temporal/search-attributes.js';
import { serverProcesses } from '../../src/temporal/server-processes.js';
import { writeServerRecord } from '../../src/temporal/server-record.js';

// The program may have to be built first.
jest.setTimeout(120_000);

let folder: string;
let state: StateLayout;
let notes: string[];

const start = (): Promise<EmbeddedServer> =>
  ensureServer({ state, env: process.env, note: (text) => notes.push(text) });

async function withClient<T>(work: (temporal: TemporalClient) => Promise<T>): Promise<T> {
  const temporal = await connectClient(await start());
  try {
    return await work(temporal);
  } finally {
    await temporal.close();
  }
}

beforeAll(async () => {
  await findProgram({ env: process.env, note: () => undefined });
  folder = await mkdtemp(join(tmpdir(), 'llmx-server-'));
  state = stateLayout(join(folder, 'state'));
  notes = [];
  // Ports as of an earlier run, so that the usual ones of this machine are left alone.
  await writeServerRecord(state, {
    schemaVersion: 1,
    port: await freePort(),
    uiPort: await freePort(),
    process: null,
    ready: false,
    searchAttributes: false,
  });
}, 20 * 60_000);

afterAll(async () => {
  await stopServer(state);
  await rm(folder, { recursive: true, force: true });
});

describe('the embedded server', () => {
  it('is started once when several ask for it at the same time', async () => {
    const servers = await Promise.all([start(), start(), start()]);
    expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
    expect(servers.filter(({ started }) => started)).toHaveLength(1);
    expect(await serverProcesses(state.databaseFile)).toHaveLength(1);
  });

  it('is reused by the next start', async () => {
    const first = await start();
    const second = await start();
    expect(second).toEqual({ ...first, started: false });
    expect(await serverStatus(state)).toEqual({
      running: true,
      pid: first.pid,
      address: first.address,
      uiUrl: first.uiUrl,
      dbFile: state.databaseFile,
      serving: true,
    });
  });

  it('keeps closed histories for 90 days', async () => {
    await withClient(async ({ connection, namespace }) => {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 60 * 60);
    });
  });

  it('knows the search attributes of llmx', async () => {
    expect((await start()).searchAttributes).toBe(true);
    await withClient(async ({ connection, namespace }) => {
      const known = await connection.operatorService.listSearchAttributes({ namespace });
      for (const { name } of LLMX_SEARCH_ATTRIBUTES) {
        expect(Object.keys(known.customAttributes ?? {})).toContain(name);
      }
    });
  });

  it('shows its Web UI on loopback', async () => {
    const { uiUrl } = await start();
    expect(uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(uiUrl)).status).toBe(200);
  });

  it('closes its files to other users', async () => {
    const modes = await Promise.all(
      [state.root, state.databaseFile, state.serverFile, join(state.logsDir, 'server.log')].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('leads a process group of its own: Ctrl-C and a closed terminal do not reach it', async () => {
    const { pid } = await start();
    const { stdout } = await runCommand(['ps', '-o', 'pgid=', '-p', String(pid)]);
    expect(Number(stdout)).toBe(pid);
  });

  it('comes back after kill -9 at the same address with every history, and says so', async () => {
    const before = await start();
    const workflowId = 'llmx-grid-test-1';
    await withClient(({ client }) =>
      client.workflow.start('neverPolled', {
        workflowId,
        taskQueue: 'nobody',
        typedSearchAttributes: new TypedSearchAttributes([
          { key: LLMX_EXPERIMENT, value: 'quickstart' },
          { key: LLMX_DONE, value: 3 },
        ]),
      }),
    );
    process.kill(before.pid, 'SIGKILL');
    notes = [];

    const after = await start();

    expect(after.started).toBe(true);
    expect(after.pid).not.toBe(before.pid);
    expect([after.address, after.uiUrl]).toEqual([before.address, before.uiUrl]);
    expect(notes.join()).toContain(`pid ${before.pid}`);
    await withClient(async ({ client }) => {
      const handle = client.workflow.getHandle(workflowId);
      expect((await handle.describe()).status.name).toBe('RUNNING');
      expect((await handle.fetchHistory()).events?.length).toBeGreaterThan(0);
      const { count } = await client.workflow.count(
        `LlmxExperiment = 'quickstart' AND LlmxDone = 3`,
      );
      expect(count).toBe(1);
    });
  });

  it('stops and leaves no process, and a second stop has nothing to do', async () => {
    const { pid } = await start();
    const identity = identityOf(pid);
    expect(await stopServer(state)).toBe(true);
    expect(identity && isAlive(identity)).toBe(false);
    expect(await serverProcesses(state.databaseFile)).toEqual([]);
    expect(await stopServer(state)).toBe(false);
    expect(await serverStatus(state)).toMatchObject({ running: false, pid: null, serving: false });
  });

  it('takes other ports and says so when somebody else has taken the remembered ones', async () => {
    const { address, uiUrl } = await serverStatus(state);
    const thieves = await Promise.all([occupy(portOf(address)), occupy(portOf(uiUrl))]);
    notes = [];
    try {
      const server = await start();
      expect(server.address).not.toBe(address);
      expect(notes.join()).toContain(server.uiUrl);
    } finally {
      for (const thief of thieves) thief.close();
    }
  });

  it('stops a server that was started but never recorded before it starts another', async () => {
    const { pid } = await start();
    const lost = identityOf(pid);
    await rm(state.serverFile);
    notes = [];
    const server = await start();
    expect(server.pid).not.toBe(pid);
    expect(lost && isAlive(lost)).toBe(false);
    expect(notes.join()).toContain(`pid ${pid}`);
  });

  it('takes ports of its own when servers of other state folders start at the same moment', async () => {
    const states = ['a', 'b', 'c'].map((name) => stateLayout(join(folder, name)));
    try {
      const servers = await Promise.all(
        states.map((other) =>
          ensureServer({ state: other, env: process.env, note: () => undefined }),
        ),
      );
      expect(new Set(servers.map(({ address }) => address)).size).toBe(3);
      const statuses = await Promise.all(states.map((other) => serverStatus(other)));
      expect(statuses.map(({ serving }) => serving)).toEqual([true, true, true]);
    } finally {
      for (const other of states) await stopServer(other);
    }
  });

  it('shows the end of the log when the program does not start', async () => {
    const broken = stateLayout(join(folder, 'broken'));
    // A folder where the database should be.
    await mkdir(broken.databaseFile, { recursive: true });
    const failure = ensureServer({ state: broken, env: process.env, note: () => undefined });
    await expect(failure).rejects.toMatchObject({
      code: 'server_start_failed',
      message: expect.stringMatching(/it ended\n.*unable to open database file/s),
    });
    expect(await serverProcesses(broken.databaseFile)).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const server = await occupy(0);
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function occupy(port: number): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, () => {
      resolve(server);
    });
  });
}

function portOf(address: string | null): number {
  return Number(/:(\d+)$/.exec(address ?? '')?.[1]);
}
