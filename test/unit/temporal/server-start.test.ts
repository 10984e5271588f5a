import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateLayout } from '../../../src/storage/state-layout.js';
import { serverArguments } from '../../../src/temporal/launch-server.js';
import { choosePorts, isPortFree } from '../../../src/temporal/ports.js';
import { readServerRecord } from '../../../src/temporal/server-record.js';
import { findUiUrl } from '../../../src/temporal/ui-url.js';
import { readWorkerRecord } from '../../../src/temporal/worker-record.js';

let folder: string;
let taken: Server[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-start-'));
  taken = [];
});
afterEach(async () => {
  for (const server of taken) server.close();
  await rm(folder, { recursive: true, force: true });
});

async function takePort(): Promise<number> {
  const server = createServer();
  taken.push(server);
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the ports of the embedded server', () => {
  it('are the remembered ones while they are free', async () => {
    const [port, uiPort] = [await takePort(), await takePort()];
    await Promise.all(taken.map((server) => new Promise((resolve) => server.close(resolve))));
    expect(await choosePorts({ port, uiPort })).toEqual({ port, uiPort });
  });

  it('are others when somebody else listens there, and never the same twice', async () => {
    const busy = await takePort();
    const chosen = await choosePorts({ port: busy, uiPort: busy });
    expect(await isPortFree(busy)).toBe(false);
    expect([chosen.port, chosen.uiPort]).not.toContain(busy);
    expect(chosen.port).not.toBe(chosen.uiPort);
  });
});

describe('the command line of the embedded server', () => {
  const line = serverArguments('/state/temporal.db', { port: 1, uiPort: 2 }).join(' ');

  it.each([
    '--ip 127.0.0.1 --ui-ip 127.0.0.1 --port 1 --ui-port 2',
    '--db-filename /state/temporal.db ',
    '--sqlite-pragma journal_mode=WAL',
    '--sqlite-pragma synchronous=NORMAL',
    'history.transferProcessorMaxPollRPS=',
    'history.timerProcessorMaxPollRPS=',
    'history.visibilityProcessorMaxPollRPS=',
    '--search-attribute LlmxDone=Int',
    '--search-attribute LlmxExperiment=Keyword',
  ])('has %s', (part) => {
    expect(line).toContain(part);
  });
});

describe('records of server and worker', () => {
  it.each(['', '{', '[]', 'null', '"x"', '{"port":"7233"}', '{"port":7233}'])(
    'count as missing or empty when they hold %j',
    async (content) => {
      const state = stateLayout(folder);
      await writeFile(state.serverFile, content);
      await writeFile(state.workerFile, content);
      expect(await readServerRecord(state)).toBeNull();
      expect((await readWorkerRecord(state))?.process ?? null).toBeNull();
    },
  );
});

describe('findUiUrl', () => {
  it('takes what LLMX_UI_URL says', async () => {
    expect(await findUiUrl('there:7233', { LLMX_UI_URL: 'https://ui' })).toBe('https://ui');
  });

  it('knows the Web UI of Temporal Cloud and none of another cluster', async () => {
    expect(await findUiUrl('ns.acct.tmprl.cloud:7233', {})).toBe('https://cloud.temporal.io');
    expect(await findUiUrl('temporal.example.org:7233', {})).toBeNull();
  });

  it('finds a development server’s Web UI a thousand ports up', async () => {
    const port = await takePort();
    expect(await findUiUrl(`127.0.0.1:${port - 1_000}`, {})).toBe(`http://127.0.0.1:${port}`);
  });
});
