import { createServer } from 'node:net';

export interface ServerPorts {
  readonly port: number;
  readonly uiPort: number;
}

/** What Temporal's own tools expect, so that `temporal workflow list` works without flags. */
export const USUAL_PORTS: ServerPorts = { port: 7233, uiPort: 8233 };

/**
 * The remembered ports when they are free, so that old links stay valid; else the usual ones, else any.
 * Each of the two is chosen on its own.
 */
export async function choosePorts(remembered: ServerPorts | null): Promise<ServerPorts> {
  const port = await firstFree([remembered?.port, USUAL_PORTS.port], []);
  const uiPort = await firstFree([remembered?.uiPort, USUAL_PORTS.uiPort], [port]);
  return { port, uiPort };
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== null;
}

async function firstFree(
  wanted: readonly (number | undefined)[],
  taken: readonly number[],
): Promise<number> {
  for (const port of wanted) {
    if (port !== undefined && !taken.includes(port) && (await isPortFree(port))) return port;
  }
  for (;;) {
    const port = await tryListen(0);
    if (port !== null && !taken.includes(port)) return port;
  }
}

/** The port that was bound for a moment on loopback, or null when it is in use. */
function tryListen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(null);
    });
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => {
        resolve(bound);
      });
    });
  });
}
