import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { reasonOf } from './exchange.js';
import { endToEnd } from './forward.js';
import { maskKey } from './key-mask.js';
import { limitsIn, type KeyRequestEnd } from './key-proxy-log.js';
import { ASKED_AT, ModelScan, SERVED_AT } from './model-scan.js';

/** The API, and what changes in a request to it. */
export interface Upstream {
  readonly agent: Agent;
  /** For the header of that name. */
  readonly host: string;
  readonly key: string;
  /** Headers of the request that don't go on. */
  readonly without: readonly string[];
  /** Name and value of the header with the key. */
  readonly auth: readonly [name: string, value: string];
}

/** Hands a request on with the key, and its answer back. Never rejects: how it ended is the result. */
export async function relay(
  upstream: Upstream,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<KeyRequestEnd> {
  const up = watched(new ModelScan(ASKED_AT));
  const seen: Seen = { answer: null, status: null, served: null, bytesDown: () => 0, limits: {} };
  const asked = startRequest(upstream, request);
  let isAgentGone = false;
  response.once('close', () => {
    isAgentGone = !response.writableFinished && seen.answer?.errored == null;
    if (isAgentGone) asked.destroy();
  });
  let error: string | undefined;
  try {
    const answered = answerOf(asked);
    // An API may answer, and say no, before it has read everything. What breaks here ends the answer as well.
    void send(request, up.stream, asked).catch(() => undefined);
    await handBack(upstream, await answered, response, seen);
    if (!request.complete) asked.destroy();
  } catch (cause) {
    error = isAgentGone ? 'the agent went away' : reasonOf(cause);
    asked.destroy();
    if (response.headersSent) response.destroy();
    else {
      response.writeHead(502, { 'content-type': 'text/plain', connection: 'close' });
      response.end(`llmx: the model API can't be reached: ${error}\n`);
    }
  }
  return {
    status: seen.status,
    allowed: true,
    bytesUp: up.bytes(),
    bytesDown: seen.bytesDown(),
    modelAsked: up.scan.model,
    modelServed: seen.served?.model ?? null,
    ...seen.limits,
    ...(error === undefined ? {} : { error }),
  };
}

interface Seen {
  answer: IncomingMessage | null;
  status: number | null;
  served: ModelScan | null;
  bytesDown: () => number;
  limits: Pick<KeyRequestEnd, 'limits'>;
}

function startRequest(upstream: Upstream, request: IncomingMessage): ClientRequest {
  const { agent, auth, host, without } = upstream;
  // A body whose length is not known goes on as one, whatever the method: else it would be read as a request.
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  return httpRequest({
    agent,
    host,
    ...(request.method === undefined ? {} : { method: request.method }),
    path: request.url ?? '/',
    headers: [
      ...endToEnd(request.rawHeaders, without),
      ...['Host', host],
      ...auth,
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
      ...['Connection', 'keep-alive'],
    ],
  });
}

function answerOf(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve);
    asked.on('error', reject);
  });
}

async function send(
  request: IncomingMessage,
  watch: Transform,
  asked: ClientRequest,
): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) asked.end();
  else await pipeline(request, watch, asked);
}

async function handBack(
  { key }: Upstream,
  answer: IncomingMessage,
  response: ServerResponse,
  seen: Seen,
): Promise<void> {
  const { statusCode = 502, headers } = answer;
  seen.answer = answer;
  seen.status = statusCode;
  if (statusCode >= 400) seen.limits = limitsIn(headers);
  const isEvents = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  const scan = new ModelScan(SERVED_AT, isEvents);
  if (statusCode < 300) seen.served = scan;
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const down = watched(scan, decoderOf(coding));
  seen.bytesDown = down.bytes;
  const raw = endToEnd(answer.rawHeaders).map((text) =>
    text.replaceAll(key, '*'.repeat(key.length)),
  );
  response.writeHead(statusCode, raw);
  // The first event may be long in coming.
  response.flushHeaders();
  try {
    await (coding === 'identity'
      ? pipeline(answer, down.stream, maskKey(key), response)
      : pipeline(answer, down.stream, response));
  } finally {
    await down.settled();
  }
}

interface Watched {
  /** To put in the way of the bytes. */
  readonly stream: Transform;
  readonly scan: ModelScan;
  bytes(this: void): number;
  /** When what was decoded so far has been looked at. */
  settled(): Promise<void>;
}

/** Looks at what passes by; a coded body is decoded for that alone, as far as needed. */
function watched(scan: ModelScan, decoder: Transform | null = null): Watched {
  let bytes = 0;
  decoder?.on('data', (chunk: Buffer) => {
    scan.push(chunk);
    if (scan.isOver) decoder.destroy();
  });
  decoder?.on('error', () => undefined); // then the model is not known
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (decoder === null) scan.push(chunk);
      else if (!decoder.destroyed) decoder.write(chunk);
      done(null, chunk);
    },
  });
  return {
    stream,
    scan,
    bytes: () => bytes,
    settled: async () => {
      if (decoder === null || decoder.destroyed) return;
      await new Promise<void>((resolve) => {
        decoder.once('close', resolve);
        decoder.end();
        decoder.resume();
      });
    },
  };
}

function decoderOf(coding: string): Transform | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}
