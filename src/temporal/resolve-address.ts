import type { ClientConnectConfig } from '@temporalio/envconfig';
import { LlmxError } from '../errors/llmx-error.js';
import type { Environment } from '../support/paths.js';
import type { ServerCredentials } from './connect.js';

/** Which server is meant. Nothing has been contacted yet. */
export type ServerChoice = { readonly kind: 'embedded' } | ConfiguredServer;

export interface ConfiguredServer {
  readonly kind: 'configured';
  /** Where the address stands, for messages. */
  readonly source: string;
  readonly address: string;
  readonly namespace: string;
  readonly credentials: ServerCredentials;
}

const DEFAULT_PORT = 7233;

/**
 * `--address`, then `TEMPORAL_ADDRESS`, then the profile of Temporal's own `temporal.toml`; without any
 * of them the embedded server. Namespace, TLS and API key come from the same variables and file.
 * @throws LlmxError `usage`
 */
export async function resolveServer(options: {
  readonly env: Environment;
  /** Of `--address`. */
  readonly address?: string | undefined;
}): Promise<ServerChoice> {
  const env = withoutEmpty(options.env);
  const settings = await loadSettings(env);
  const written = options.address ?? settings.connectionOptions.address;
  if (written === undefined) return { kind: 'embedded' };
  const source = sourceOf(options.address, env);
  return {
    kind: 'configured',
    source,
    address: checkedAddress(written, source),
    namespace: settings.namespace ?? 'default',
    credentials: credentialsIn(settings),
  };
}

async function loadSettings(env: Record<string, string>): Promise<ClientConnectConfig> {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    return loadClientConnectConfig({ overrideEnvVars: env });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new LlmxError(
      'usage',
      {
        problem: `the settings for Temporal cannot be used: ${reason}`,
        hint: 'check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the file temporal.toml',
      },
      { cause: error },
    );
  }
}

function credentialsIn({ connectionOptions }: ClientConnectConfig): ServerCredentials {
  const { apiKey, tls, metadata } = connectionOptions;
  return {
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(tls === undefined || tls === null ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
  };
}

function sourceOf(flagAddress: string | undefined, env: Record<string, string>): string {
  if (flagAddress !== undefined) return '--address';
  if (env['TEMPORAL_ADDRESS'] !== undefined) return 'TEMPORAL_ADDRESS';
  return `profile ${env['TEMPORAL_PROFILE'] ?? 'default'} of temporal.toml`;
}

/** `host`, `host:port` or `[ipv6]:port`. */
function checkedAddress(written: string, source: string): string {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/.exec(written);
  const port = Number(match?.[2] ?? DEFAULT_PORT);
  if (match === null || port < 1 || port > 65_535) {
    throw new LlmxError('usage', {
      problem: `"${written}" (${source}) is not an address: host:port is wanted`,
      hint: `write for example 127.0.0.1:${DEFAULT_PORT}, or leave it out to use the embedded server`,
    });
  }
  return `${match[1]}:${port}`;
}

/** An empty variable counts as not set, as in Temporal's own programs. */
function withoutEmpty(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => Boolean(pair[1])),
  );
}
