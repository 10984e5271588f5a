import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startKeyProxy, type KeyProxy, type KeyProxyOptions } from '../../src/network/key-proxy.js';
import { startModelServers, type ModelServers } from '../fixtures/model-servers.js';
import { programOf } from '../fixtures/run-module.js';
import { until } from './support/trial-harness.js';

const KEY = 'sk-real-0123456789abcdef';
const TOKEN = 'llmx-token-of-this-trial';

let dir = '';
let proxy: KeyProxy | null = null;
/** What the API got, and what it does. */
let got: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let api: (asked: IncomingMessage, answer: ServerResponse) => void = () => undefined;
let connections = 0;
const server = createServer((asked, answer) => {
  api(asked, answer);
});
server.on('connection', () => (connections += 1));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-key-proxy-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

let count = 0;
beforeEach(() => {
  count += 1;
  got = [];
  connections = 0;
  api = (asked, answer) => void record(asked).then(() => answer.end('{"model":"served-1"}'));
});

afterEach(async () => {
  await proxy?.close();
  proxy = null;
});

async function record(asked: IncomingMessage): Promise<void> {
  const body = await text(asked);
  got.push({ method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers, body });
}

const apiPort = () => (server.address() as AddressInfo).port;
const logFile = () => join(dir, `${count}.jsonl`);

async function start(changes: Partial<KeyProxyOptions> = {}): Promise<KeyProxy> {
  proxy = await startKeyProxy({
    baseUrl: new URL(`http://127.0.0.1:${apiPort()}`),
    mayBePrivate: true,
    header: 'x-api-key',
    key: KEY,
    token: TOKEN,
    logFile: logFile(),
    env: {},
    ...changes,
  });
  return proxy;
}

/** What a program of a few lines printed. */
async function runModule(code: string, env: Record<string, string> = {}): Promise<string> {
  const file = await programOf(code, dir, `module-${count}`);
  const run = promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...env } });
  return (await run).stdout;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function begin(path: string, options: RequestOptions = {}) {
  const headers = { 'x-api-key': TOKEN, ...options.headers };
  return request({ port: proxy?.port, host: '127.0.0.1', path, agent: false, ...options, headers });
}

async function ask(path: string, body = '', options: RequestOptions = {}): Promise<Answer> {
  const asked = begin(path, { method: body === '' ? 'GET' : 'POST', ...options });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** Ends the proxy and reads what it wrote. */
async function closed() {
  const counted = await proxy?.close();
  proxy = null;
  const log = await readFile(logFile(), 'utf8');
  const lines = log.split('\n').filter(Boolean);
  return { counted, log, lines: lines.map((line) => JSON.parse(line)) };
}

describe('a request through the key proxy', () => {
  it('reaches the API with the key, and else as it was', async () => {
    await start();
    const body = JSON.stringify({ model: 'asked-1', messages: [{ content: '"model":"no"' }] });
    const answer = await ask('/v1/messages?beta=true', body, {
      headers: { 'anthropic-version': '2023-06-01', 'x-thing': 'a, b', authorization: 'Bearer x' },
    });
    expect(answer).toMatchObject({ status: 200, body: '{"model":"served-1"}' });
    expect(got).toMatchObject([{ method: 'POST', url: '/v1/messages?beta=true', body }]);
    expect(got[0]?.headers).toMatchObject({
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
      'x-thing': 'a, b',
      host: `127.0.0.1:${apiPort()}`,
    });
    expect(got[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(got)).not.toContain(TOKEN);
    const { counted, lines, log } = await closed();
    expect(counted).toEqual({ requests: 1, refused: 0 });
    expect(lines).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        method: 'POST',
        host: `127.0.0.1:${apiPort()}`,
        path: '/v1/messages',
        ms: expect.any(Number),
        status: 200,
        allowed: true,
        bytesUp: body.length,
        bytesDown: 20,
        modelAsked: 'asked-1',
        modelServed: 'served-1',
      },
    ]);
    expect(log).not.toMatch(/sk-real|llmx-token|beta/);
  });

  it('carries the key as a bearer token where the API wants one', async () => {
    await start({ header: 'authorization' });
    await ask('/v1/responses', '{}', {
      headers: { 'x-api-key': '', authorization: `Bearer ${TOKEN}` },
    });
    expect(got[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(got[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('goes below the path of the API and nowhere else', async () => {
    await start({ baseUrl: new URL(`http://127.0.0.1:${apiPort()}/team/a`) });
    expect(proxy?.baseUrl).toBe(`http://127.0.0.1:${proxy?.port}/team/a`);
    expect((await ask('/team/a/v1/messages')).status).toBe(200);
    for (const path of ['/team/ab', '/team/a/../b', '/team/a/%2e%2E/b', '/team/a/..%2fb', '/']) {
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
    }
    expect(got.map(({ url }) => url)).toEqual(['/team/a/v1/messages']);
  });

  it('hands on each part of a stream when it comes, and sees which model answers', async () => {
    const parts = [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","mod',
      'el":"served-2","usage":{}}}\n\n',
      'data: {"type":"message_stop","model":"later"}\n\n',
    ];
    const size = parts.join('').length;
    let next: () => void = () => undefined;
    api = (asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      answer.flushHeaders();
      next = () => {
        const part = parts.shift();
        if (part === undefined) answer.end();
        else answer.write(part);
      };
      void record(asked);
    };
    await start();
    const asked = begin('/v1/messages', { method: 'POST' });
    asked.end('{"stream":true,"model":"asked-2"}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    for (const part of [...parts]) {
      next();
      const [data] = (await once(answer, 'data')) as [Buffer];
      expect(data.toString()).toBe(part);
    }
    next();
    answer.resume();
    await once(answer, 'end');
    expect((await closed()).lines).toMatchObject([
      { modelAsked: 'asked-2', modelServed: 'served-2', bytesDown: size },
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('leaves an answer in %s as it is, and reads its model all the same', async (coding, code) => {
    const coded = code(Buffer.from('{"id":"x","object":"response","model":"served-3"}'));
    api = (_asked, answer) => {
      answer.writeHead(200, { 'content-encoding': coding, 'content-length': coded.length });
      answer.end(coded);
    };
    await start();
    const asked = begin('/v1/responses').end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(coded)).toBe(true);
    expect((await closed()).lines).toMatchObject([
      { modelServed: 'served-3', bytesDown: coded.length },
    ]);
  });

  it('takes the key out of an answer that quotes it, wherever its parts are cut', async () => {
    api = (_asked, answer) => {
      answer.writeHead(401, { 'x-quoted': `bad ${KEY}` });
      answer.write(`no such key: ${KEY.slice(0, 9)}`);
      setImmediate(() => answer.end(`${KEY.slice(9)}, nor ${KEY}; sk-re`));
    };
    await start();
    const answer = await ask('/v1/messages', '{}');
    const stars = '*'.repeat(KEY.length);
    expect(answer.body).toBe(`no such key: ${stars}, nor ${stars}; sk-re`);
    expect(answer.headers['x-quoted']).toBe(`bad ${stars}`);
    expect((await closed()).log).not.toContain(KEY);
  });

  it('uses a connection again, on both sides', async () => {
    await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let time = 0; time < 5; time += 1) await ask('/v1/messages', '{"model":"m"}', { agent });
    agent.destroy();
    expect(connections).toBe(1);
    expect((await closed()).counted).toEqual({ requests: 5, refused: 0 });
  });

  it('carries a large body both ways and holds neither in memory', async () => {
    const size = 200 * 1024 * 1024;
    const module = `
      import { createServer, request } from 'node:http';
      import { once } from 'node:events';
      import { startKeyProxy } from './src/network/key-proxy.ts';
      const chunk = Buffer.alloc(1 << 20, 'x');
      async function send(stream) {
        for (let left = ${size}; left > 0; left -= chunk.length) {
          if (!stream.write(chunk)) await once(stream, 'drain');
        }
        stream.end();
      }
      let up = 0;
      const server = createServer((asked, answer) => {
        asked.on('data', (data) => (up += data.length));
        asked.on('end', () => void send(answer));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const proxy = await startKeyProxy({
        baseUrl: new URL('http://127.0.0.1:' + server.address().port), mayBePrivate: true,
        header: 'x-api-key', key: 'k-123456', token: 't', logFile: ${JSON.stringify(logFile())}, env: {},
      });
      let peak = 0;
      const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
      const before = process.memoryUsage().rss;
      const asked = request({ port: proxy.port, method: 'POST', headers: { 'x-api-key': 't' } });
      void send(asked);
      const [answer] = await once(asked, 'response');
      let down = 0;
      answer.on('data', (data) => (down += data.length));
      await once(answer, 'end');
      clearInterval(timer);
      await proxy.close();
      server.close();
      console.log(JSON.stringify({ up, down, grownMb: (peak - before) / 1e6 }));
    `;
    const measured = JSON.parse(await runModule(module));
    expect(measured).toMatchObject({ up: size, down: size });
    expect(measured.grownMb).toBeLessThan(150);
  }, 60_000);

  it('waits for a slow API as long as the agent does', async () => {
    let respond: () => void = () => undefined;
    api = (asked, answer) => {
      respond = () => answer.end('{"model":"slow"}');
      void record(asked);
    };
    await start();
    const answered = ask('/v1/messages', '{}');
    await until('the request', () => got.length === 1);
    respond();
    expect((await answered).body).toBe('{"model":"slow"}');
  });
});

describe('what goes wrong on the way', () => {
  it('ends the request to the API when the agent goes away', async () => {
    let aborted = false;
    api = (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write('data: {"model":"m"}\n\n');
      answer.once('close', () => (aborted = true));
    };
    await start();
    const asked = begin('/v1/messages').end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await once(answer, 'data');
    asked.destroy();
    await until('the abort', () => aborted);
    expect((await closed()).lines).toMatchObject([
      { status: 200, modelServed: 'm', error: 'the agent went away' },
    ]);
  });

  it('cuts the answer where the API cuts it', async () => {
    api = (_asked, answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('half', () => answer.destroy());
    };
    await start();
    await expect(ask('/v1/messages')).rejects.toThrow(/aborted/);
    expect((await closed()).lines).toMatchObject([
      { status: 200, bytesDown: 4, error: expect.stringMatching(/ECONNRESET|aborted/) },
    ]);
  });

  it('answers 502 when the API is not there', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo;
    unused.close();
    await start({ baseUrl: new URL(`http://127.0.0.1:${port}`) });
    const answer = await ask('/v1/messages', '{}');
    expect(answer).toMatchObject({
      status: 502,
      body: "llmx: the model API can't be reached: ECONNREFUSED\n",
    });
    expect((await closed()).lines).toMatchObject([{ status: null, error: 'ECONNREFUSED' }]);
  });

  it('hands on what the API says of its limits, and notes it', async () => {
    api = (_asked, answer) => {
      answer.writeHead(429, {
        'retry-after': '30',
        'anthropic-ratelimit-unified-reset': '1796127600',
        'set-cookie': 'a=b',
      });
      answer.end('{"type":"error","model":"not-served"}');
    };
    await start();
    const answer = await ask('/v1/messages', '{}');
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect((await closed()).lines).toMatchObject([
      {
        status: 429,
        modelServed: null,
        limits: { 'retry-after': '30', 'anthropic-ratelimit-unified-reset': '1796127600' },
      },
    ]);
  });

  it('hands back a no that comes before the whole request was read', async () => {
    api = (_asked, answer) => {
      answer.writeHead(413, { connection: 'close' });
      answer.end('too large');
    };
    await start();
    const asked = begin('/v1/messages', { method: 'POST', headers: { 'content-length': '1000' } });
    asked.on('error', () => undefined); // the rest of it is not wanted
    asked.write('{');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    expect(await text(answer)).toBe('too large');
    asked.destroy();
  });

  it('ends everything that is under way when the trial is over', async () => {
    api = (asked) => void record(asked);
    await start();
    const answered = ask('/v1/messages', '{"model":"m"}');
    const failed = expect(answered).rejects.toThrow();
    await until('the request', () => got.length === 1);
    const { lines } = await closed();
    await failed;
    expect(lines).toMatchObject([{ status: null, modelAsked: 'm', allowed: true }]);
  });
});

describe('what the key proxy refuses', () => {
  /** The first bytes of the answer to anything at all. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(proxy?.port ?? 0, '127.0.0.1');
    socket.on('error', () => undefined); // what arrived until then counts
    socket.write(bytes);
    return text(socket);
  }
  const auth = `x-api-key: ${TOKEN}\r\nConnection: close\r\n`;

  it.each([
    [
      'a host of its own in the address',
      'GET http://evil.example/v1 HTTP/1.1\r\nHost: evil.example',
      421,
    ],
    ['another host in the header', 'GET /v1 HTTP/1.1\r\nHost: evil.example', 421],
    ['a path that names a host', 'GET //evil.example/v1 HTTP/1.1\r\nHost: SELF', 421],
    ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443', 403],
  ])('refuses %s', async (_what, head, status) => {
    const { port } = await start();
    const answer = await raw(`${head.replace('SELF', `127.0.0.1:${port}`)}\r\n${auth}\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const { counted, lines } = await closed();
    expect(counted).toEqual({ requests: 1, refused: 1 });
    expect(lines).toMatchObject([{ allowed: false, error: 'asks for another host' }]);
    expect(got).toEqual([]);
  });

  it('refuses who does not have the token of the trial', async () => {
    await start();
    for (const given of ['', 'other', `${TOKEN}x`, KEY]) {
      const headers = { 'x-api-key': given };
      expect((await ask('/v1/messages', '{}', { headers })).status).toBe(401);
    }
    expect(got).toEqual([]);
    const { counted, log } = await closed();
    expect(counted).toEqual({ requests: 4, refused: 4 });
    expect(log).not.toContain(KEY);
  });

  it('lets no request in behind another', async () => {
    const { port } = await start();
    const inner = 'GET /stolen HTTP/1.1\r\nHost: x\r\n\r\n';
    const host = `Host: 127.0.0.1:${port}\r\n`;
    await raw(
      `GET /chunked HTTP/1.1\r\n${host}${auth}Transfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    );
    await raw(
      `POST /both HTTP/1.1\r\n${host}${auth}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    );
    await raw(
      `GET /folded HTTP/1.1\r\n${host}${auth}X-A: b\r\n x-api-key: c\r\nX-B: d\rGET /e\r\n\r\n`,
    );
    expect(got.map(({ url, body }) => [url, body])).toEqual([['/chunked', inner]]);
    expect(got[0]?.headers['transfer-encoding']).toBe('chunked');
  });

  it('reaches no private address that nobody has named', async () => {
    await start({ baseUrl: new URL(`http://localhost:${apiPort()}`), mayBePrivate: false });
    expect((await ask('/v1/messages', '{}')).status).toBe(502);
    expect(got).toEqual([]);
  });
});

describe('an API behind TLS', () => {
  let servers: ModelServers;
  beforeAll(async () => {
    servers = await startModelServers(dir);
  });
  afterAll(() => {
    servers.close();
  });

  const viaTls = (baseUrl: string) => `
    import { request } from 'node:http';
    import { once } from 'node:events';
    import { text } from 'node:stream/consumers';
    import { startKeyProxy } from './src/network/key-proxy.ts';
    const proxy = await startKeyProxy({
      baseUrl: new URL(${JSON.stringify(baseUrl)}), mayBePrivate: true, header: 'x-secret',
      key: 'k-123456', token: 't', logFile: ${JSON.stringify(join(dir, 'tls.jsonl'))}, env: {},
    });
    const asked = request({ port: proxy.port, path: '/v1', headers: { authorization: 'Bearer t' } }).end();
    const [answer] = await once(asked, 'response');
    console.log(JSON.stringify({ status: answer.statusCode, body: await text(answer) }));
    await proxy.close();
  `;

  it('is reached with the certificates of this machine', async () => {
    const env = { NODE_EXTRA_CA_CERTS: servers.certificate };
    const answer = JSON.parse(await runModule(viaTls(`https://localhost:${servers.tls}`), env));
    // The server quotes the header, so the key is masked.
    expect(answer).toEqual({ status: 200, body: `hello localhost:${servers.tls} ********\n` });
  });

  it('is not believed with any other', async () => {
    const answer = JSON.parse(await runModule(viaTls(`https://localhost:${servers.tls}`)));
    expect(answer).toMatchObject({ status: 502, body: expect.stringMatching(/SELF_SIGNED/) });
  });
});
