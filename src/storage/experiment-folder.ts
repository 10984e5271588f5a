import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Experiment, TaskSpec } from '../domain/experiment/experiment.js';
import { faultAt, fileFault, renderFaults, type Fault } from '../domain/experiment/fault.js';
import { parseExperiment } from '../domain/experiment/parse-experiment.js';
import { slug } from '../domain/slug.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import { sha256 } from '../support/hash.js';
import type { Environment } from '../support/paths.js';

export { checkoutFor, readCheckouts } from './checkout.js';

export const EXPERIMENT_FILE = 'experiment.yml';
const MAX_BYTES = 1024 * 1024;

/** An experiment as it lies on disk now. */
export interface ExperimentFolder {
  readonly dir: string;
  readonly file: string;
  readonly text: string;
  readonly experiment: Experiment;
}

/**
 * Finds experiment.yml in `start` or the nearest folder above it, and reads it.
 * @throws LlmxError `experiment_not_found`, `experiment_invalid` with every fault of the file
 */
export async function findExperiment(start: string, env: Environment): Promise<ExperimentFolder> {
  const from = resolve(start);
  for (let dir = from; ; dir = dirname(dir)) {
    if (await exists(join(dir, EXPERIMENT_FILE))) return loadExperiment(dir, env, from);
    if (dirname(dir) === dir) throw new LlmxError('experiment_not_found', { start });
  }
}

/**
 * Reads the experiment of one folder. Faults name the file as seen from `from`.
 * @throws LlmxError `experiment_not_found`, `experiment_invalid`
 */
export async function loadExperiment(
  dir: string,
  env: Environment,
  from = dir,
): Promise<ExperimentFolder> {
  const file = join(dir, EXPERIMENT_FILE);
  const shown = relative(from, file);
  const text = await readText(file, shown, dir);
  const parsed = parseExperiment(text, { env });
  if (!parsed.ok) throw invalid(shown, parsed.faults);
  return { dir, file, text, experiment: parsed.experiment };
}

type TasksOf = Pick<Experiment, 'tasks'>;

/** `prompts/<app>/<task>/<condition>.txt` below the experiment, whether it is there or not. */
export function promptPath(
  dir: string,
  experiment: TasksOf,
  taskId: string,
  condition: string,
): string {
  const { app, id } = taskOf(experiment, taskId);
  return join(dir, 'prompts', app, id, `${condition}.txt`);
}

/** Where the reference patch of a task should be; null for a task without one. */
export function solutionPath(dir: string, experiment: TasksOf, taskId: string): string | null {
  const { solution } = taskOf(experiment, taskId);
  return solution === null ? null : join(dir, solution);
}

function taskOf(experiment: TasksOf, taskId: string): TaskSpec {
  const task = experiment.tasks.find((known) => known.id === taskId);
  if (task === undefined) throw new Error(`no task ${taskId} in this experiment`);
  return task;
}

/** Names one experiment folder on one host in workflow ids and in the state folder. */
export async function experimentKey(name: string, hostId: string, dir: string): Promise<string> {
  const place = sha256(`${hostId}\n${await realpath(dir)}`).slice(0, 8);
  return `${slug(name)}-${place}`;
}

async function readText(file: string, shown: string, dir: string): Promise<string> {
  const refuse = (message: string, hint: string): LlmxError =>
    invalid(shown, [fileFault(message, hint)]);
  try {
    const { size, isFile } = await shapeOf(file);
    if (!isFile) throw refuse('not a file', `move it away: mv ${shown} ${shown}.old`);
    // Looked at before reading: a wrong file may be of any size.
    if (size > MAX_BYTES) {
      const megabytes = (size / MAX_BYTES).toFixed(1);
      throw refuse(
        `the file has ${megabytes} MiB; an experiment file has at most 1 MiB`,
        'move prompts and patches into files of their own',
      );
    }
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) throw invalid(shown, [utf8Fault(bytes)]);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof LlmxError) throw error;
    if (isErrno(error, 'ENOENT')) throw new LlmxError('experiment_not_found', { start: dir });
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw refuse(`the file can not be read: ${reason}`, `chmod u+r ${shown}`);
  }
}

async function shapeOf(file: string): Promise<{ size: number; isFile: boolean }> {
  const info = await stat(file);
  return { size: info.size, isFile: info.isFile() };
}

function invalid(shown: string, faults: readonly Fault[]): LlmxError {
  return new LlmxError('experiment_invalid', {
    faults: renderFaults(shown, faults),
    hint: faults[0]?.hint ?? `correct ${shown}`,
  });
}

const LINE_FEED = 0x0a;

/** Points at the first byte that is no UTF-8. */
function utf8Fault(bytes: Buffer): Fault {
  let number = 1;
  for (let from = 0; ; number++) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (!isUtf8(line) || end === -1) {
      const text = line.toString('utf8');
      const words = { message: 'the file is not UTF-8 text', hint: `save the file as UTF-8` };
      return faultAt({ text, number }, Math.max(0, text.indexOf('\ufffd')) + 1, 1, words);
    }
    from = end + 1;
  }
}

/** As the gem looks: a broken link is no file, and a folder that can't be entered hides none. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].some((code) => isErrno(error, code))) return false;
    throw error;
  }
}
