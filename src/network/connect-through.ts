import { request } from 'node:http';
import type { Duplex } from 'node:stream';

/** A proxy that has no way to the target, in its own words. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
}

/** Asks the proxy at the other end of a connection for a way to `host:port`. */
export function connectThrough(
  connection: Duplex,
  authority: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...headers },
      createConnection: () => connection,
    });
    asked.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        reject(new ProxyRefusal(`the proxy answered ${statusCode ?? 'nothing'}`));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.once('error', reject);
    asked.end();
  });
}
