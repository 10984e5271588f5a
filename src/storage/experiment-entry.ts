import { dirname } from 'node:path';
import { LlmxError } from '../errors/llmx-error.js';
import { readJsonIfExists, writeJsonAtomic } from '../support/atomic-file.js';
import { ensurePrivateFolder } from '../support/private-folder.js';
import type { StateLayout } from './state-layout.js';

/** Where this host has an experiment: host paths that stay out of workflow history. */
export interface ExperimentEntry {
  readonly schemaVersion: 1;
  readonly folder: string;
  /** Checkout by app key; an app whose checkout is not set is absent. */
  readonly checkouts: Readonly<Record<string, string>>;
}

export async function writeExperimentEntry(
  state: StateLayout,
  key: string,
  entry: ExperimentEntry,
): Promise<void> {
  const file = state.experimentEntry(assertKey(key));
  await ensurePrivateFolder(dirname(file));
  await writeJsonAtomic(file, entry, { mode: 0o600 });
}

/** @throws LlmxError `experiment_unknown_here` */
export async function readExperimentEntry(
  state: StateLayout,
  key: string,
): Promise<ExperimentEntry> {
  const entry = await readJsonIfExists(state.experimentEntry(assertKey(key))).catch(
    (error: unknown) => {
      if (error instanceof SyntaxError) return null; // a start writes it anew
      throw error;
    },
  );
  if (!isEntry(entry)) throw new LlmxError('experiment_unknown_here', { key });
  return entry;
}

/** Keys come from workflow input too: none may name a folder outside the state folder. */
export function assertKey(key: string): string {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(key)) throw new LlmxError('experiment_unknown_here', { key });
  return key;
}

function isEntry(value: unknown): value is ExperimentEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { schemaVersion, folder, checkouts } = value as Record<string, unknown>;
  return (
    schemaVersion === 1 &&
    typeof folder === 'string' &&
    typeof checkouts === 'object' &&
    checkouts !== null &&
    Object.values(checkouts).every((path) => typeof path === 'string')
  );
}
