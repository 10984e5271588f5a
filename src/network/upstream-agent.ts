import { Agent, type AgentOptions } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Target } from './authority.js';
import { opened, openTarget, type Route } from './open-target.js';

/** As long as other clients keep a connection that nobody uses. */
const IDLE_MS = 4_000;

type Done = (error: Error | null, socket?: Duplex) => void;

/** Connections to one server, by the way that is allowed; kept open from one request to the next. */
export class UpstreamAgent extends Agent {
  private readonly connections = new Set<Duplex>();
  private isClosed = false;

  constructor(
    private readonly route: Route,
    private readonly target: Target,
    private readonly isTls: boolean,
  ) {
    // The time is of idle connections: a request that takes longer only hears of it, and nobody listens.
    super({ keepAlive: true, timeout: IDLE_MS } satisfies AgentOptions);
  }

  /** Called by Node for each new connection; the answer comes by the callback. */
  override createConnection(_options: unknown, done: Done): undefined {
    this.open().then(
      (socket) => {
        done(null, socket);
      },
      // Not by instanceof: under Jest, Node's own errors are of another realm.
      (error: unknown) => {
        done(error as Error);
      },
    );
  }

  /** Ends every connection, and those that are still being made. */
  close(): void {
    this.isClosed = true;
    this.destroy();
    for (const socket of this.connections) socket.destroy();
  }

  private async open(): Promise<Duplex> {
    const plain = this.keep(await openTarget(this.route, this.target));
    if (!this.isTls) return plain;
    const { host } = this.target;
    return this.keep(
      await opened(
        connectTls({
          socket: plain,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 ? { servername: host } : {}),
        }),
      ),
    );
  }

  private keep(socket: Duplex): Duplex {
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
    if (this.isClosed) socket.destroy(new Error('the trial is over'));
    return socket;
  }
}
