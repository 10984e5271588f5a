import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ModelHost } from '../../src/domain/network/model-host.js';
import { apiHost } from '../../src/domain/network/model-host.js';
import { connectThrough } from '../../src/network/connect-through.js';
import { startEgressProxy, type EgressProxy } from '../../src/network/egress-proxy.js';
import { extraModelHosts } from '../../src/network/model-hosts-variable.js';
import { startModelServers, type ModelServers } from '../fixtures/model-servers.js';
import { until } from './support/trial-harness.js';

let dir = '';
let servers: ModelServers;
let proxy: EgressProxy | null = null;
let socketPath = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-proxy-'));
  servers = await startModelServers(dir);
});

afterAll(async () => {
  servers.close();
  await rm(dir, { recursive: true, force: true });
});

let count = 0;
beforeEach(() => {
  count += 1;
  socketPath = join(dir, `${count}`, 'net', 'egress.sock');
});

afterEach(async () => {
  await proxy?.close();
  proxy = null;
});

const logFile = () => join(dir, `${count}.jsonl`);

async function start(allow: readonly ModelHost[], env = {}): Promise<EgressProxy> {
  proxy = await startEgressProxy({ socketPath, allow, logFile: logFile(), env });
  return proxy;
}

const hosts = (list: string) => extraModelHosts({ LLMX_MODEL_HOSTS: list });
const local = () => hosts(`127.0.0.1:${servers.http},127.0.0.1:${servers.halfClose}`);

/** Ends the proxy and reads what it wrote. */
async function closed() {
  const counted = await proxy?.close();
  proxy = null;
  const log = await readFile(logFile(), 'utf8');
  const lines = log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { counted, lines, log };
}

/** A plain HTTP request by way of the proxy. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const asked = request({ socketPath, path, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

/** The first bytes of the answer to anything at all. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(socketPath);
  socket.end(bytes);
  return text(socket);
}

const tunnelTo = (authority: string) =>
  connectThrough(connect({ path: socketPath, allowHalfOpen: true }), authority);

describe('the egress proxy', () => {
  it('hands a request on to an allowed host, and writes down where it went and not what it said', async () => {
    await start(local());
    const secret = 'sk-very-secret';
    const path = `http://127.0.0.1:${servers.http}/v1?key=${secret}`;
    const answer = await ask(path, { 'x-secret': secret, 'proxy-authorization': secret });
    expect(answer).toEqual({ status: 200, body: `hello 127.0.0.1:${servers.http} ${secret}\n` });
    const { counted, lines, log } = await closed();
    expect(counted).toEqual({ connections: 1, refused: 0, unlogged: 0 });
    expect(lines).toMatchObject([
      { method: 'GET', host: '127.0.0.1', port: servers.http, allowed: true },
    ]);
    expect(lines[0].bytesUp).toBeGreaterThan(0);
    expect(lines[0].bytesDown).toBeGreaterThan(0);
    expect(log).not.toMatch(/secret|v1|key/);
  });

  it('refuses every other host, and says what the network is and which host it was', async () => {
    await start(local());
    const answer = await raw('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain(
      'llmx: the network of this trial is model-only: evil.example:443 is not among the hosts of the model API\n',
    );
    expect(await ask('http://evil.example/x')).toMatchObject({
      status: 403,
      body: expect.stringContaining('evil.example:80 is not among'),
    });
    const { counted, lines } = await closed();
    expect(counted).toEqual({ connections: 2, refused: 2, unlogged: 0 });
    expect(lines).toMatchObject([
      { method: 'CONNECT', host: 'evil.example', port: 443, allowed: false, bytesUp: 0 },
      { method: 'GET', host: 'evil.example', port: 80, allowed: false, bytesUp: 0 },
    ]);
  });

  it.each([
    ['CONNECT api.example', 400],
    ['CONNECT api.example:443@evil.example:443', 400],
    ['CONNECT user:x@api.example:443', 400],
    ['GET /', 400],
    ['GET https://api.example/', 400],
    ['GET http://api.example@evil.example/', 400],
    ['CONNECT api.example.evil.example:443', 403],
    ['CONNECT api.example:80', 403],
    ['CONNECT 127.0.0.1:443', 403],
    ['CONNECT 2130706433:443', 403],
    ['CONNECT [::1]:443', 403],
    ['CONNECT [::ffff:169.254.169.254]:443', 403],
  ])('answers %j with %d', async (line, status) => {
    await start([apiHost('api.example')]);
    const answer = await raw(`${line} HTTP/1.1\r\nHost: api.example\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await closed()).counted).toMatchObject({ connections: 1, refused: 1 });
  });

  it('takes nothing but HTTP', async () => {
    await start(local());
    expect(await raw('\x16\x03\x01\x02\x00')).toBe('');
    expect((await closed()).lines).toMatchObject([{ allowed: false, error: 'not HTTP' }]);
  });

  it('never reaches a private address by a public name', async () => {
    // A name of the public list whose answer is this machine, as a hostile name server would give it.
    await start([{ ...apiHost('localhost'), port: servers.http }]);
    const answer = await ask(`http://localhost:${servers.http}/`);
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringContaining('is in a private network or on the host itself'),
    });
    expect((await closed()).lines).toMatchObject([{ allowed: false, error: 'a private address' }]);
  });

  it('says when an allowed host is not to be reached', async () => {
    await start(hosts('127.0.0.1:1,nowhere.invalid:443'));
    expect(await ask('http://127.0.0.1:1/')).toMatchObject({
      status: 502,
      body: expect.stringContaining('ECONNREFUSED'),
    });
    const answer = await raw('CONNECT nowhere.invalid:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect((await closed()).lines).toMatchObject([
      { allowed: true, error: 'ECONNREFUSED' },
      { allowed: true, error: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) },
    ]);
  });

  it('lets one side of a tunnel end before the other', async () => {
    await start(local());
    const socket = await tunnelTo(`127.0.0.1:${servers.halfClose}`);
    socket.write('a'.repeat(1000));
    socket.end('b'.repeat(234));
    expect(await text(socket)).toBe('1234 bytes\n');
    const [line] = (await closed()).lines;
    expect(line).toMatchObject({ method: 'CONNECT', bytesUp: 1234, bytesDown: 11 });
    expect(line.error).toBeUndefined();
  });

  it('ends what is under way when it is closed', async () => {
    await start(local());
    const socket = await tunnelTo(`127.0.0.1:${servers.http}`);
    socket.on('error', () => undefined); // an end is an end
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the request', async () => (await servers.open()) > 0);
    expect((await closed()).counted).toEqual({ connections: 1, refused: 0, unlogged: 0 });
    socket.resume();
    await ended;
    await until('its end', async () => (await servers.open()) === 0);
    await expect(once(connect(socketPath), 'connect')).rejects.toThrow();
  });

  it('turns away more connections than it can hold, and writes that down', async () => {
    await start(local());
    const sockets: Socket[] = [];
    while (sockets.length < 600) {
      const socket = connect(socketPath);
      socket.on('error', () => undefined).resume(); // 'close' follows
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const turnedAway = () => sockets.filter((socket) => socket.closed).length;
    await until('the last to be turned away', () => turnedAway() === 600 - 512);
    for (const socket of sockets) socket.destroy();
    const { counted, lines } = await closed();
    expect(counted).toMatchObject({ refused: 600 - 512 });
    expect(lines[0]).toMatchObject({ allowed: false, error: 'too many connections at once' });
  });

  it('listens at a path of any length, open to every user who gets there', async () => {
    const deep = join(dir, ...Array.from({ length: 5 }, () => 'x'.repeat(60)));
    await mkdir(deep, { recursive: true });
    socketPath = join(deep, 'net', 'egress.sock');
    expect(socketPath.length).toBeGreaterThan(300);
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('llmx-net-'));
    await start(local());
    expect((await stat(socketPath)).isSocket()).toBe(true);
    expect((await stat(socketPath)).mode & 0o777).toBe(0o777);
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('llmx-net-'));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
    await closed();
    // It is removed with the sandbox: who owns the folder by now may have put a link in its place.
    expect(existsSync(socketPath)).toBe(true);
  });
});

describe('the proxy of this machine', () => {
  it('is the way to a public host, and gets its password', async () => {
    const asked: unknown[] = [];
    const parent = createServer();
    parent.on('connect', ({ url, headers }: IncomingMessage, client: Socket) => {
      asked.push([url, headers['proxy-authorization']]);
      if (url?.startsWith('no') === true) client.end('HTTP/1.1 407 No\r\n\r\n');
      else client.end('HTTP/1.1 200 OK\r\n\r\nfrom the parent');
    });
    parent.listen(0, '127.0.0.1');
    await once(parent, 'listening');
    const { port } = parent.address() as AddressInfo;
    try {
      const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}` };
      await start([apiHost('api.example'), apiHost('no.example')], env);
      expect(await text(await tunnelTo('api.example:443'))).toBe('from the parent');
      await expect(tunnelTo('no.example:443')).rejects.toThrow('the proxy answered 502');
      await expect(tunnelTo('evil.example:443')).rejects.toThrow('the proxy answered 403');
      const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
      expect(asked).toEqual([
        ['api.example:443', basic],
        ['no.example:443', basic],
      ]);
      expect((await closed()).lines).toMatchObject([
        { host: 'api.example', allowed: true, bytesDown: 15 },
        { host: 'no.example', allowed: true, error: 'the proxy answered 407' },
        { host: 'evil.example', allowed: false },
      ]);
    } finally {
      parent.closeAllConnections();
      parent.close();
    }
  });

  it('that never answers does not keep the proxy from closing', async () => {
    const parent = createTcp();
    parent.listen(0, '127.0.0.1');
    await once(parent, 'listening');
    try {
      const env = { HTTPS_PROXY: `127.0.0.1:${(parent.address() as AddressInfo).port}` };
      await start([apiHost('api.example')], env);
      const socket = connect(socketPath);
      socket.on('error', () => undefined); // an end is an end
      const arrived = once(parent, 'connection');
      socket.write('CONNECT api.example:443 HTTP/1.1\r\nHost: x\r\n\r\n');
      const [taken] = (await arrived) as [Socket];
      taken.on('error', () => undefined).resume();
      expect((await closed()).lines).toMatchObject([{ error: 'ended with the agent' }]);
      socket.destroy();
      taken.destroy();
    } finally {
      parent.close();
    }
  });
});
