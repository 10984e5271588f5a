import type { PlannedCell } from '../domain/plan/cell.js';
import { LlmxError } from '../errors/llmx-error.js';
import { readJsonIfExists, writeJsonAtomic } from '../support/atomic-file.js';
import type { StateLayout } from './state-layout.js';

/** The cells a grid sets out to do, in a file of the state folder: they stay out of history. */
export interface RunListPlace {
  readonly layout: StateLayout;
  readonly experimentKey: string;
  readonly runListId: string;
}

/** Null when there is none, or none that can be read. */
export async function readRunList(place: RunListPlace): Promise<readonly PlannedCell[] | null> {
  const list = await readJsonIfExists(fileOf(place)).catch((error: unknown) => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  return Array.isArray(list) && list.every(isCell) ? list : null;
}

/** @throws LlmxError `run_list_damaged`: what was done and what was not can't be told from it any more */
export async function requiredRunList(place: RunListPlace): Promise<readonly PlannedCell[]> {
  const list = await readRunList(place);
  if (list === null) throw new LlmxError('run_list_damaged', { runListId: place.runListId });
  return list;
}

export async function writeRunList(
  place: RunListPlace,
  cells: readonly PlannedCell[],
): Promise<void> {
  await writeJsonAtomic(fileOf(place), cells, { mode: 0o600 });
}

function fileOf({ layout, experimentKey, runListId }: RunListPlace): string {
  return layout.runListFile(experimentKey, runListId);
}

function isCell(value: unknown): value is PlannedCell {
  const cell = (value ?? {}) as Record<string, unknown>;
  const names = [cell['task'], cell['agent'], cell['condition']];
  return (
    names.every((name) => typeof name === 'string') &&
    Number.isInteger(cell['index']) &&
    Number.isInteger(cell['repeat'])
  );
}
