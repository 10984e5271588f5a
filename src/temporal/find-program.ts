import { LlmxError } from '../errors/llmx-error.js';
import type { Environment } from '../support/paths.js';
import { checkProgram } from './check-program.js';
import { installWithGo } from './go-install.js';
import {
  cachedProgram,
  type Attempt,
  type ProgramSource,
  type SearchOptions,
} from './program-source.js';
import { downloadWithSdk } from './sdk-download.js';
import { whichProgram } from '../support/which-program.js';

/** In the order in which they are tried. */
export const PROGRAM_SOURCES: readonly ProgramSource[] = [
  { name: 'LLMX_TEMPORAL_BIN', quick: true, attempt: fromVariable },
  { name: 'temporal on PATH', quick: true, attempt: fromPath },
  { name: 'llmx cache', quick: true, attempt: fromCache },
  { name: 'download by the Temporal SDK', quick: false, attempt: downloadWithSdk },
  { name: 'go install', quick: false, attempt: installWithGo },
];

/**
 * The first Temporal program that runs.
 * @throws LlmxError `temporal_program_missing` with the reason of every source
 */
export async function findProgram(
  options: SearchOptions,
  sources: readonly ProgramSource[] = PROGRAM_SOURCES,
): Promise<string> {
  const failures: string[] = [];
  for (const source of sources) {
    const attempt = await tryOne(source, options);
    if (attempt.kind === 'found') return attempt.path;
    failures.push(`  ${source.name}: ${attempt.reason}`);
    if (source.name === 'LLMX_TEMPORAL_BIN' && options.env[source.name]) {
      options.note(`LLMX_TEMPORAL_BIN is not used: ${attempt.reason}`);
    }
  }
  throw new LlmxError('temporal_program_missing', {
    attempts: failures.join('\n'),
    hint: 'install the Temporal CLI or Go, or set LLMX_TEMPORAL_BIN, then: llmx-client server start',
  });
}

/** What can be found without downloading or building anything. */
export async function findInstalledProgram(env: Environment): Promise<string | null> {
  for (const source of PROGRAM_SOURCES.filter(({ quick }) => quick)) {
    const attempt = await tryOne(source, { env, note: () => undefined });
    if (attempt.kind === 'found') return attempt.path;
  }
  return null;
}

/** A source that breaks (a cache folder that can't be written) is one that failed. */
async function tryOne(source: ProgramSource, options: SearchOptions): Promise<Attempt> {
  try {
    return await source.attempt(options);
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function fromVariable({ env }: SearchOptions): Promise<Attempt> {
  const path = env['LLMX_TEMPORAL_BIN'];
  return path ? checkProgram(path) : { kind: 'failed', reason: 'not set' };
}

async function fromPath({ env }: SearchOptions): Promise<Attempt> {
  const path = await whichProgram('temporal', env);
  return path === null ? { kind: 'failed', reason: 'not there' } : checkProgram(path);
}

async function fromCache({ env }: SearchOptions): Promise<Attempt> {
  return checkProgram(cachedProgram(env));
}
