import type { StateLayout } from '../storage/state-layout.js';
import type { Environment } from '../support/paths.js';
import { ensureWorker, type HostWorker } from './background-worker.js';
import { openConnection, type ServerTarget } from './connect.js';
import { ensureServer } from './embedded-server.js';
import { registerSearchAttributes } from './namespace.js';
import type { Note } from './note.js';
import { resolveServer, type ConfiguredServer } from './resolve-address.js';
import { asServiceError } from './service-errors.js';
import { findUiUrl } from './ui-url.js';

export interface ConnectOptions {
  readonly state: StateLayout;
  readonly env: Environment;
  readonly note: Note;
  /** Of `--address`. */
  readonly address?: string | undefined;
}

export interface ReadyServer extends ServerTarget {
  /** False where the server does not allow llmx's search attributes: the memo has the same facts. */
  readonly searchAttributes: boolean;
}

export interface Services {
  readonly target: ServerTarget;
  readonly searchAttributes: boolean;
  readonly worker: HostWorker;
}

/**
 * The server that is meant, running and prepared. Workers call this too: they see the same settings as
 * the command that started them.
 */
export async function ensureAnyServer(options: ConnectOptions): Promise<ReadyServer> {
  const choice = await resolveServer(options);
  return choice.kind === 'embedded' ? ensureServer(options) : prepareConfigured(choice, options);
}

/** Server and background worker of this host: what every connecting command needs before anything else. */
export async function ensureServices(
  options: ConnectOptions & { readonly version: string; readonly workerEntry?: string | undefined },
): Promise<Services> {
  const { searchAttributes, ...target } = await ensureAnyServer(options);
  const worker = await ensureWorker({
    ...options,
    address: target.address,
    namespace: target.namespace,
    flagAddress: options.address,
  });
  return { target, searchAttributes, worker };
}

async function prepareConfigured(
  { address, namespace, credentials }: ConfiguredServer,
  { env }: ConnectOptions,
): Promise<ReadyServer> {
  const target = { address, namespace, credentials, embedded: false };
  const connection = await openConnection(target, 10_000);
  try {
    const searchAttributes = await registerSearchAttributes(connection, namespace);
    return { ...target, uiUrl: await findUiUrl(address, env), searchAttributes };
  } catch (error) {
    throw asServiceError(error, target);
  } finally {
    await connection.close();
  }
}
