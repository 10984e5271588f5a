import { mkdir } from 'node:fs/promises';
import { createServer, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { Duplex } from 'node:stream';
import type { ModelHost } from '../domain/network/model-host.js';
import { parseAuthority, type Target } from './authority.js';
import { EgressLog, type EgressCount } from './egress-log.js';
import { upstreamOf, type Answer, type Exchange } from './exchange.js';
import { askedFor, forward } from './forward.js';
import { listenAt } from './listen-at.js';
import { openTarget, type Route } from './open-target.js';
import { parentProxy } from './parent-proxy.js';
import { pipeBoth } from './pipe-both.js';

/** More than an agent needs, and far fewer than the files a process may have open. */
const MAX_CONNECTIONS = 512;

export interface EgressProxyOptions {
  /** Unix socket to listen at, of any length; its folder is made where it is missing; nobody else is in it yet. */
  readonly socketPath: string;
  readonly allow: readonly ModelHost[];
  /** `egress.jsonl`; its folder is there. */
  readonly logFile: string;
  /** Where the proxy of this machine is looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface EgressProxy {
  /** Ends every connection and writes what there is to be said about them. */
  close(): Promise<EgressCount>;
}

/**
 * Starts the only way out of a trial whose network is `model-only`: an HTTP proxy that opens connections to
 * allowed hosts and writes down every one, refused ones too.
 * @throws LlmxError `proxy_setting_invalid`
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const { allow, env, logFile, socketPath } = options;
  const route: Route = { allow, parent: parentProxy(env) };
  const log = new EgressLog(logFile);
  const sockets = new Set<Duplex>();
  const keep = <T extends Duplex>(socket: T): T => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // 'close' follows
    return socket;
  };
  // A model may think for minutes before it answers: only the head of a request has a time limit.
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 });
  const open = async (target: Target): Promise<Duplex> => {
    const socket = keep(await openTarget(route, target));
    if (server.listening) return socket;
    socket.destroy();
    throw new Error('the trial is over');
  };
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', keep);
  server.on('drop', () => {
    log.begin('', null).end({ allowed: false, error: 'too many connections at once' });
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (code.startsWith('HPE_')) log.begin('', null).end({ allowed: false, error: 'not HTTP' });
    socket.destroy();
  });
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const target = parseAuthority(request.url ?? '');
    void tunnel({ open, target, entry: log.begin('CONNECT', target) }, client, head);
  });
  server.on('request', (request, response) => {
    const asked = askedFor(request.url ?? '');
    const entry = log.begin(request.method ?? '', asked.target);
    void forward({ open, entry, ...asked }, request, response);
  });
  try {
    // Who gets this far is decided by the folder above.
    await mkdir(dirname(socketPath), { recursive: true, mode: 0o755 });
    await listenAt(server, socketPath);
    server.on('error', () => undefined); // one connection that could not be taken in
  } catch (error) {
    log.close();
    throw error;
  }
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      return log.close();
    },
  };
}

async function tunnel(exchange: Exchange, client: Socket, head: Buffer): Promise<void> {
  const upstream = await upstreamOf(exchange);
  if (!(upstream instanceof Duplex)) {
    client.end(written(upstream));
    return;
  }
  if (client.destroyed) {
    upstream.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  pipeBoth(client, upstream);
}

function written({ status, text }: Answer): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
