import { connect as connectTcp } from 'node:net';
import type { Connection } from '@temporalio/client';
import { pollUntil } from '../support/poll.js';
import { isAlive, type ProcessIdentity } from '../support/process-identity.js';
import { openConnection } from './connect.js';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const SERVING = 1;

export type Health =
  | { readonly kind: 'serving'; readonly connection: Connection }
  | { readonly kind: 'died' }
  | { readonly kind: 'silent' };

/**
 * Waits until the server on loopback says over gRPC that it serves. On `serving` the caller closes
 * the connection. Gives up at once when the process ends.
 */
export async function awaitServing(
  address: string,
  process: ProcessIdentity,
  timeoutMs: number,
): Promise<Health> {
  const health = await pollUntil(
    async (): Promise<Health | null> => {
      if (!isAlive(process)) return { kind: 'died' };
      const connection = await servingConnection(address);
      return connection === null ? null : { kind: 'serving', connection };
    },
    { timeoutMs },
  );
  return health ?? { kind: 'silent' };
}

/** Whether a Temporal server on loopback answers now. */
export async function isServing(address: string): Promise<boolean> {
  const connection = await servingConnection(address);
  await connection?.close();
  return connection !== null;
}

async function servingConnection(address: string): Promise<Connection | null> {
  // A refused gRPC connection is only tried again after a second; a refused socket is seen at once.
  if (!(await acceptsTcp(address))) return null;
  let connection: Connection;
  try {
    connection = await openConnection({ address, credentials: {}, embedded: true }, 2_000);
  } catch {
    return null; // listening, but not serving yet
  }
  try {
    const answer = await connection.withDeadline(Date.now() + 2_000, () =>
      connection.healthService.check({ service: SERVICE }),
    );
    if (Number(answer.status) === SERVING) return connection;
  } catch {
    // the same: a server that starts up answers with an error first
  }
  await connection.close();
  return null;
}

/** Whether something listens at `host:port`, as far as one second shows. */
export function acceptsTcp(address: string): Promise<boolean> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port: Number(address.slice(colon + 1)), timeout: 1_000 });
    const settle = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => {
      settle(true);
    });
    socket.once('timeout', () => {
      settle(false);
    });
    socket.once('error', () => {
      settle(false);
    });
  });
}
