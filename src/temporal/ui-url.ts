import type { Environment } from '../support/paths.js';
import { isLoopback } from './connect.js';
import { acceptsTcp } from './health.js';

const CLOUD_UI = 'https://cloud.temporal.io';
/** The port of the Web UI in docker-compose.yml. */
const COMPOSE_UI_PORT = 8080;

/**
 * Base address of a configured server's Web UI. A server does not tell, so: `LLMX_UI_URL`, Temporal
 * Cloud's, or on this machine what listens where a development server or docker-compose.yml put it.
 * Null when nothing of this applies: then no link is better than a wrong one.
 */
export async function findUiUrl(address: string, env: Environment): Promise<string | null> {
  if (env['LLMX_UI_URL']) return env['LLMX_UI_URL'];
  const { host, port } = splitAddress(address);
  if (/\.(tmprl\.cloud|api\.temporal\.io)$/.test(host)) return CLOUD_UI;
  if (!isLoopback(address)) return null;
  for (const candidate of [port + 1_000, COMPOSE_UI_PORT]) {
    if (candidate <= 65_535 && (await acceptsTcp(`${host}:${candidate}`))) {
      return `http://${host}:${candidate}`;
    }
  }
  return null;
}

function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
