import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { authorityOf, parseAuthority, type Target } from './authority.js';
import { reasonOf, upstreamOf, type Exchange } from './exchange.js';

/** About one connection, not about the message: they end here. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a plain HTTP request to a proxy asks for: `http://host:port/path`. */
export function askedFor(url: string): { readonly target: Target | null; readonly path: string } {
  const [, authority, rest = ''] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
  const target = authority === undefined ? null : parseAuthority(authority, 80);
  return { target, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Hands a plain HTTP request on, and its answer back. */
export async function forward(
  exchange: Exchange & { readonly path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const upstream = await upstreamOf(exchange);
  if (!(upstream instanceof Duplex) || exchange.target === null) {
    const { status, text } = upstream as Exclude<typeof upstream, Duplex>;
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
    return;
  }
  response.once('close', () => upstream.destroy());
  try {
    const asked = httpRequest({
      ...(request.method === undefined ? {} : { method: request.method }),
      path: exchange.path,
      headers: [
        ...endToEnd(request.rawHeaders, ['host']),
        ...['Host', authorityOf(exchange.target)],
        ...['Connection', 'close'],
      ],
      createConnection: () => upstream,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.on('error', reject);
    });
    const [answer] = await Promise.all([answered, pipeline(request, asked)]);
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    await pipeline(answer, response);
  } catch (error) {
    upstream.destroy();
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end(`llmx: the connection broke: ${reasonOf(error)}\n`);
  }
}

/** Raw headers without those that are about one connection. */
export function endToEnd(raw: readonly string[], without: readonly string[] = []): string[] {
  const pairs = raw.flatMap((name, at) =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [],
  );
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/));
  const dropped = new Set([...HOP_BY_HOP, ...named, ...without]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
