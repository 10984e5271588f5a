import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AppSpec } from '../domain/experiment/experiment.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import type { Environment } from '../support/paths.js';

/** Beside experiment.yml, ignored by git: where this machine has its checkouts. */
export const APPS_FILE = '.apps.local';

/** The variable that names an app's checkout: `LLMX_APP_<KEY>`. */
export function appVariable(appKey: string): string {
  return `LLMX_APP_${appKey.toUpperCase().replace(/[-.]/g, '_')}`;
}

/**
 * Where the checkout of an app is: the environment variable, else its line in `.apps.local`, else null.
 * Paths in the file are relative to the file.
 */
export async function checkoutFor(
  experimentDir: string,
  appKey: string,
  env: Environment,
): Promise<string | null> {
  const variable = appVariable(appKey);
  const set = env[variable];
  if (set !== undefined && set !== '') return resolve(set);
  const written = assignmentIn(await readAppsFile(experimentDir), variable);
  if (written === null || written === '') return null;
  return written.startsWith('~/')
    ? join(env['HOME'] ?? homedir(), written.slice(2))
    : resolve(experimentDir, written);
}

/** {@link checkoutFor} of every app, by key. */
export async function readCheckouts(
  experimentDir: string,
  experiment: { readonly apps: readonly Pick<AppSpec, 'key'>[] },
  env: Environment,
): Promise<Readonly<Record<string, string | null>>> {
  const checkouts: Record<string, string | null> = {};
  for (const { key } of experiment.apps) {
    checkouts[key] = await checkoutFor(experimentDir, key, env);
  }
  return checkouts;
}

/** The file may be sourced by a shell too: `export`, quotes and comments are understood. */
function assignmentIn(text: string, variable: string): string | null {
  let value: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, name, rest] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    // As in a shell, the last line of several is the one that holds.
    if (name === variable && rest !== undefined) value = unquoted(rest);
  }
  return value;
}

function unquoted(written: string): string {
  const quoted = /^\s*(?:"([^"]*)"|'([^']*)')/.exec(written);
  return quoted === null ? written.replace(/\s+#.*$/, '').trim() : (quoted[1] ?? quoted[2] ?? '');
}

async function readAppsFile(experimentDir: string): Promise<string> {
  return readFile(join(experimentDir, APPS_FILE), 'utf8').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'EISDIR')) return '';
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const problem = `${APPS_FILE} can not be read: ${reason}`;
    throw new LlmxError('usage', { problem, hint: `chmod u+r ${APPS_FILE}` }, { cause: error });
  });
}
