import type { Client, ClientOptions, Connection, ConnectionOptions } from '@temporalio/client';
import { unreachable } from './service-errors.js';

/** What a client or a worker needs to reach a server. Holds secrets: never log or store it. */
export interface ServerCredentials {
  readonly apiKey?: string;
  readonly tls?: NonNullable<ConnectionOptions['tls']>;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface ServerTarget {
  readonly address: string;
  readonly namespace: string;
  /** Base address of the Web UI, or null when llmx can't know it. */
  readonly uiUrl: string | null;
  readonly embedded: boolean;
  readonly credentials: ServerCredentials;
}

export interface TemporalClient extends ServerTarget {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * A client with its connection; the caller closes it.
 * @throws LlmxError `temporal_unreachable` within the time limit
 */
export async function connectClient(
  target: ServerTarget,
  options: {
    /** @defaultValue 10 000 */
    readonly timeoutMs?: number;
    readonly dataConverter?: NonNullable<ClientOptions['dataConverter']>;
  } = {},
): Promise<TemporalClient> {
  const { Client } = await import('@temporalio/client');
  const connection = await openConnection(target, options.timeoutMs ?? 10_000);
  const client = new Client({
    connection,
    namespace: target.namespace,
    // The SDK's own would put the name of this host into every history.
    identity: 'llmx-client',
    ...(options.dataConverter === undefined ? {} : { dataConverter: options.dataConverter }),
  });
  return { ...target, client, connection, close: () => connection.close() };
}

/** @throws LlmxError `temporal_unreachable` */
export async function openConnection(
  target: Pick<ServerTarget, 'address' | 'credentials' | 'embedded'>,
  timeoutMs: number,
): Promise<Connection> {
  const { Connection } = await import('@temporalio/client');
  const { metadata, ...credentials } = target.credentials;
  try {
    return await Connection.connect({
      address: target.address,
      connectTimeout: timeoutMs,
      ...credentials,
      ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
      ...(isLoopback(target.address) ? { channelArgs: WITHOUT_PROXY } : {}),
    });
  } catch (error) {
    throw unreachable(error, target);
  }
}

/** gRPC for Node obeys `http_proxy` even for this machine itself. */
const WITHOUT_PROXY = { 'grpc.enable_http_proxy': 0 };

export function isLoopback(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(address);
}
