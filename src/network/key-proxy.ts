import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseAuthority, type Target } from './authority.js';
import { relay, type Upstream } from './key-relay.js';
import { KeyProxyLog, type KeyProxyCount } from './key-proxy-log.js';
import { parentProxy } from './parent-proxy.js';
import { UpstreamAgent } from './upstream-agent.js';

const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 256;

/** Every way to send a key; none of them goes on. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

export interface KeyProxyOptions {
  /** `http(s)://host[:port][/path]` without a slash at the end: requests go below it, and nowhere else. */
  readonly baseUrl: URL;
  /** The address was set by a person, so it may be one of this machine or of a private network. */
  readonly mayBePrivate: boolean;
  /** The header that the API reads its key from. */
  readonly header: string;
  /** Printable ASCII. */
  readonly key: string;
  /** What the agent has in the key's place: without it nobody on this machine gets through. */
  readonly token: string;
  /** `model-requests.jsonl`; its folder is there. */
  readonly logFile: string;
  /** Where the proxy of this machine is looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface KeyProxy {
  readonly port: number;
  /** The API as the agent is to call it. */
  readonly baseUrl: string;
  /** Ends every connection. */
  close(): Promise<KeyProxyCount>;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/**
 * Starts the only place that knows an API key: a server on the loopback interface that puts the key into each
 * request and hands it on to one API. Everything else passes as it is, in both directions, as it comes.
 * @throws LlmxError `proxy_setting_invalid`
 */
export async function startKeyProxy(options: KeyProxyOptions): Promise<KeyProxy> {
  const { baseUrl, env, header, key, logFile } = options;
  const isTls = baseUrl.protocol === 'https:';
  const target = targetOf(baseUrl, isTls);
  const route = {
    allow: [{ ...target, match: 'exact', mayBePrivate: options.mayBePrivate } as const],
    parent: parentProxy(env),
  };
  const agent = new UpstreamAgent(route, target, isTls);
  const log = new KeyProxyLog(logFile, baseUrl.host);
  const upstream: Upstream = {
    agent,
    host: baseUrl.host,
    key,
    without: ['host', 'expect', ...KEY_HEADERS],
    auth: [header, header === 'authorization' ? `Bearer ${key}` : key],
  };
  // A model may think for minutes before it answers: only the head of a request has a time limit.
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 });
  const sockets = new Set<Socket>();
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => {
    socket.destroy();
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    log.begin({ method: 'CONNECT', path: '' })(refused(403, 'asks for another host'));
    socket.on('error', () => undefined); // it may be gone already
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  let authority = '';
  const running = new Set<Promise<void>>();
  server.on('request', (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const end = log.begin({ method: request.method ?? '', path: pathOnly(path) });
    const refusal = refusalOf(request, { ...options, authority, path });
    if (refusal === null) {
      const run = relay(upstream, request, response)
        .then(end)
        .finally(() => running.delete(run));
      running.add(run);
    } else {
      end(refused(refusal.status, refusal.reason));
      answer(response, refusal);
    }
  });
  try {
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    server.on('error', () => undefined); // one connection that could not be taken in
  } catch (error) {
    log.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  authority = `${LOOPBACK}:${port}`;
  return {
    port,
    baseUrl: `http://${authority}${baseUrl.pathname === '/' ? '' : baseUrl.pathname}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      agent.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await Promise.all(running);
      return log.close();
    },
  };
}

function targetOf(baseUrl: URL, isTls: boolean): Target {
  const target = parseAuthority(baseUrl.host, isTls ? 443 : 80);
  if (target === null) throw new Error(`${baseUrl.host} is no host`);
  return target;
}

interface Asked extends Pick<KeyProxyOptions, 'baseUrl' | 'token'> {
  /** Of this proxy. */
  readonly authority: string;
  readonly path: string;
}

function refusalOf(request: IncomingMessage, asked: Asked): Refusal | null {
  const { authority, baseUrl, path, token } = asked;
  const host = request.headers.host ?? '';
  if (!path.startsWith('/') || path.startsWith('//') || !isOwn(host, authority)) {
    return { status: 421, reason: 'asks for another host' };
  }
  const base = baseUrl.pathname === '/' ? '' : baseUrl.pathname;
  const isBelow = path === base || path.startsWith(`${base}/`);
  if (!isBelow || (base !== '' && isRoundabout(path))) {
    return { status: 403, reason: 'asks for another path' };
  }
  const isKnown = KEY_HEADERS.some((name) => isToken(request.headers[name], token));
  return isKnown ? null : { status: 401, reason: 'without the key of this trial' };
}

function isOwn(host: string, authority: string): boolean {
  return host === authority || host === authority.replace(LOOPBACK, 'localhost');
}

/** A path that a server might read as one above it. */
function isRoundabout(path: string): boolean {
  return /(^|[/\\])(\.|%2e){1,2}([/\\]|$)|%2f|%5c|\\/i.test(path);
}

function isToken(value: string | readonly string[] | undefined, token: string): boolean {
  if (typeof value !== 'string') return false;
  const [given, wanted] = [Buffer.from(value.replace(/^Bearer +/i, '')), Buffer.from(token)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Without what an agent may have put before it. */
function pathOnly(path: string): string {
  return path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
}

function refused(status: number, error: string): Parameters<ReturnType<KeyProxyLog['begin']>>[0] {
  const nothing = { bytesUp: 0, bytesDown: 0, modelAsked: null, modelServed: null };
  return { status, allowed: false, ...nothing, error };
}

function answer(response: ServerResponse, { status, reason }: Refusal): void {
  const text = `llmx: this address leads to the model API of this trial alone; the request ${reason}\n`;
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
}
