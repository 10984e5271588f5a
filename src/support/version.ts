import { readFileSync } from 'node:fs';

/** Version of llmx, from its package.json. */
export const ENGINE_VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
