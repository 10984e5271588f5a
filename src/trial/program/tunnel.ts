import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { EgressRoute } from '../../domain/trial/program-contract.js';
import { authorityOf } from '../../network/authority.js';
import { connectThrough } from '../../network/connect-through.js';
import { pipeBoth } from '../../network/pipe-both.js';

const LOOPBACK = '127.0.0.1';

/** Fewer than the proxy outside takes, so that what is too much is turned away here. */
const MAX_CONNECTIONS = 256;

export interface Tunnel {
  /** Tells programs to use the tunnel. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Opens a way to the model API where there is no network: a proxy on the loopback interface, and the host's
 * own allowed servers at the addresses they have there.
 * @throws when the proxy outside does not answer, or an address is taken
 */
export async function openTunnel(route: EgressRoute): Promise<Tunnel> {
  await knock(route.socket);
  const doors: Door[] = [];
  const open = async (port: number, host: string, reach: Reach): Promise<number> => {
    const door = await openDoor(port, host, reach);
    doors.push(door);
    return door.port;
  };
  const close = async (): Promise<void> => {
    await Promise.all(doors.map((door) => door.close()));
  };
  try {
    for (const target of route.loopback) {
      const host = target.host === 'localhost' ? LOOPBACK : target.host;
      await open(target.port, host, () =>
        connectThrough(outside(route.socket), authorityOf(target)),
      );
    }
    if (route.isOnlyWay === false) return { env: {}, close };
    const proxy = await open(0, LOOPBACK, () => Promise.resolve(outside(route.socket)));
    return { env: proxyEnv(`http://${LOOPBACK}:${proxy}`), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Programs read one or the other spelling; Node needs to be told to look. */
function proxyEnv(url: string): Readonly<Record<string, string>> {
  const direct = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: url,
    http_proxy: url,
    HTTPS_PROXY: url,
    https_proxy: url,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

type Reach = () => Promise<Duplex>;

interface Door {
  readonly port: number;
  close(): Promise<void>;
}

async function openDoor(port: number, host: string, reach: Reach): Promise<Door> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // 'close' follows
    void join(socket, reach);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, port, host);
  server.on('error', () => undefined); // one connection that could not be taken in
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function join(socket: Socket, reach: Reach): Promise<void> {
  try {
    const other = await reach();
    other.on('error', () => undefined); // 'close' follows, and takes this side along
    if (socket.destroyed) other.destroy();
    else pipeBoth(socket, other);
  } catch {
    socket.destroy(); // as a server that refuses
  }
}

function outside(socketPath: string): Socket {
  return connect({ path: socketPath, allowHalfOpen: true });
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** An agent without its model would only seem to fail by itself. */
async function knock(socketPath: string): Promise<void> {
  const socket = outside(socketPath);
  try {
    await once(socket, 'connect');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the way to the model API can't be opened: ${reason}`, { cause: error });
  } finally {
    socket.destroy();
  }
}
