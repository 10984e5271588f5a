import envPaths from 'env-paths';
import { resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Server, worker, experiments and host id of this user. `LLMX_STATE_DIR` moves all of it. */
export function stateDir(env: Environment = process.env): string {
  if (env['LLMX_STATE_DIR']) return resolve(env['LLMX_STATE_DIR']);
  const paths = envPaths('llmx', { suffix: '' });
  // On Linux the log folder is the XDG state folder; elsewhere logs may be swept away.
  return process.platform === 'linux' ? paths.log : paths.data;
}

/** Downloaded or built programs. Not moved with the state folder; `LLMX_CACHE_DIR` moves it. */
export function cacheDir(env: Environment = process.env): string {
  return env['LLMX_CACHE_DIR']
    ? resolve(env['LLMX_CACHE_DIR'])
    : envPaths('llmx', { suffix: '' }).cache;
}
