import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell } from '../domain/plan/cell.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import { forEachLimited } from '../support/for-each-limited.js';
import { sha256 } from '../support/hash.js';
import { EXPERIMENT_FILE, promptPath, type ExperimentFolder } from './experiment-folder.js';

const FILES_AT_A_TIME = 16;

/**
 * Content a plan depends on, as facts for its hash: the experiment file, and the prompts and reference
 * solutions of the planned tasks. Commit ids are not part of it: a plan needs no checkout.
 * @throws LlmxError `plan_file_unreadable`
 */
export async function planFacts(
  { dir, text, experiment }: Pick<ExperimentFolder, 'dir' | 'text' | 'experiment'>,
  cells: readonly Cell[],
): Promise<Readonly<Record<string, string>>> {
  const planned = new Set(cells.map((cell) => cell.task));
  const tasks = experiment.tasks.filter((task) => planned.has(task.id));
  const files = tasks.flatMap((task) => [
    ...experiment.conditions.map((condition) => promptPath('', experiment, task.id, condition)),
    ...(task.solution === null ? [] : [task.solution]),
  ]);
  const facts: Record<string, string> = { [EXPERIMENT_FILE]: sha256(text) };
  await forEachLimited(new Set(files), FILES_AT_A_TIME, async (file) => {
    facts[file] = await fileHash(dir, file);
  });
  return facts;
}

/** What is not there yet, or is no file, belongs to a plan too: the preflight names it. */
async function fileHash(dir: string, file: string): Promise<string> {
  const path = join(dir, file);
  try {
    return (await stat(path)).isFile() ? sha256(await readFile(path)) : 'missing';
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return 'missing';
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new LlmxError('plan_file_unreadable', { file, reason }, { cause: error });
  }
}
