import { LlmxError } from '../errors/llmx-error.js';
import type { StateLayout } from '../storage/state-layout.js';
import type { Environment } from '../support/paths.js';
import { openConnection } from './connect.js';
import { serverStatus } from './embedded-server.js';
import { findInstalledProgram } from './find-program.js';
import { findGo } from './go-install.js';
import { registerSearchAttributes } from './namespace.js';
import { resolveServer, type ConfiguredServer } from './resolve-address.js';
import { asServiceError } from './service-errors.js';

/** What `doctor` says about Temporal. */
export interface TemporalOutlook {
  /** `nothing`: only a download is left, which has not been tried. */
  readonly kind: 'configured' | 'running' | 'program' | 'go' | 'nothing';
  /** A grid that starts now gets a server. */
  readonly ok: boolean;
  readonly detail: string;
  readonly hint: string | null;
  /** False where a configured server does not allow llmx's search attributes. */
  readonly searchAttributes: boolean;
}

/** Looks only: nothing is downloaded, built or started. */
export async function describeTemporal(options: {
  readonly state: StateLayout;
  readonly env: Environment;
  /** Of `--address`. */
  readonly address?: string | undefined;
}): Promise<TemporalOutlook> {
  const choice = await resolveServer(options);
  if (choice.kind === 'configured') return describeConfigured(choice);
  const { serving, address, uiUrl } = await serverStatus(options.state);
  if (serving) return fine('running', `embedded server at ${address}, Web UI ${uiUrl}`);
  const program = await findInstalledProgram(options.env);
  if (program !== null) return fine('program', `embedded server, started on demand (${program})`);
  if ((await findGo(options.env)) !== null) {
    return fine('go', 'embedded server, built with Go when it is first needed (2 to 3 minutes)');
  }
  return {
    kind: 'nothing',
    ok: false,
    detail: 'no Temporal program and no Go here; a download is tried when a grid starts',
    hint: 'llmx-client server start',
    searchAttributes: true,
  };
}

async function describeConfigured(server: ConfiguredServer): Promise<TemporalOutlook> {
  const { address, namespace, source } = server;
  try {
    const connection = await openConnection({ ...server, embedded: false }, 5_000);
    try {
      const searchAttributes = await registerSearchAttributes(connection, namespace);
      const without = searchAttributes ? '' : '; it does not allow search attributes';
      return {
        ...fine('configured', `${address} (${source}), namespace ${namespace}${without}`),
        searchAttributes,
      };
    } finally {
      await connection.close();
    }
  } catch (raw) {
    const error = asServiceError(raw, { address, embedded: false });
    const reason = error instanceof Error ? error.message : String(error);
    const hint = error instanceof LlmxError ? error.hint : null;
    return { kind: 'configured', ok: false, detail: reason, hint, searchAttributes: false };
  }
}

function fine(kind: TemporalOutlook['kind'], detail: string): TemporalOutlook {
  return { kind, ok: true, detail, hint: null, searchAttributes: true };
}
