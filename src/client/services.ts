import type { StateLayout } from '../storage/state-layout.js';
import type { TemporalClient } from '../temporal/connect.js';
import type { Services as EnsuredServices } from '../temporal/ensure-services.js';
import type { CliContext } from './context.js';
import { note } from './output/print.js';

/** A connected client whose server and worker are known to be there. */
export interface Services extends TemporalClient {
  readonly searchAttributes: boolean;
}

/**
 * Server and worker of this host, restarted where they had died, and a client.
 * @throws LlmxError `temporal_unreachable`, `temporal_program_missing`, `worker_start_failed`
 */
export async function connectServices(
  cli: CliContext,
  open: { readonly layout: StateLayout },
  address: string | undefined,
): Promise<Services> {
  const { connectClient } = await import('../temporal/connect.js');
  const { target, searchAttributes } = await ensured(cli, open, address);
  return { ...(await connectClient(target)), searchAttributes };
}

/** For a command that is connected already: its connection finds the server on the same port again. */
export async function ensureServicesAgain(
  cli: CliContext,
  open: { readonly layout: StateLayout },
  address: string | undefined,
): Promise<void> {
  await ensured(cli, open, address);
}

async function ensured(
  cli: CliContext,
  open: { readonly layout: StateLayout },
  address: string | undefined,
): Promise<EnsuredServices> {
  const { ensureServices } = await import('../temporal/ensure-services.js');
  const { ENGINE_VERSION } = await import('../support/version.js');
  return ensureServices({
    state: open.layout,
    env: cli.env,
    version: ENGINE_VERSION,
    note: (text) => {
      note(cli, text);
    },
    ...(address === undefined ? {} : { address }),
  });
}

/** Whether the server that is meant is there now; a configured one counts as running. Starts nothing. */
export async function serverRuns(
  cli: CliContext,
  layout: StateLayout,
  address: string | undefined,
): Promise<boolean> {
  if (await isConfigured(cli, address)) return true;
  const { serverStatus } = await import('../temporal/embedded-server.js');
  return (await serverStatus(layout)).running;
}

/** Whether a grid may ever have run on the server that is meant: without its database none has. */
export async function serverEverUsed(
  cli: CliContext,
  layout: StateLayout,
  address: string | undefined,
): Promise<boolean> {
  if (await isConfigured(cli, address)) return true;
  const { pathExists } = await import('../support/path-exists.js');
  return pathExists(layout.databaseFile);
}

async function isConfigured(cli: CliContext, address: string | undefined): Promise<boolean> {
  const { resolveServer } = await import('../temporal/resolve-address.js');
  return (await resolveServer({ env: cli.env, address })).kind === 'configured';
}
