import { join } from 'node:path';
import { cacheDir, type Environment } from '../support/paths.js';
import type { Note } from './note.js';

export interface SearchOptions {
  readonly env: Environment;
  readonly note: Note;
}

export type Attempt =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** One way to come by the Temporal program. */
export interface ProgramSource {
  readonly name: string;
  /** It looks only; the others download or build. */
  readonly quick: boolean;
  attempt(options: SearchOptions): Promise<Attempt>;
}

/** Where llmx keeps a program that it downloaded or built. */
export function cachedProgram(env: Environment): string {
  return join(cacheDir(env), 'bin', 'temporal');
}
