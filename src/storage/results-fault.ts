import { access, constants, lstat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import { isDiskFull, refusalOf } from '../support/file-faults.js';
import { freeGb } from '../support/free-disk.js';

export const RESULTS_FOLDER = 'results-raw';

/** Folders an error may be about. */
export interface Places {
  readonly experimentDir: string;
  readonly stateRoot: string;
}

/** `results_unusable` for what the file system refuses at `path`; any other error as it is. */
export async function asResultsFault(error: unknown, path: string): Promise<unknown> {
  const reason = refusalOf(error);
  if (reason === null) return error;
  const folder = await firstThatIsThere(path);
  return new LlmxError('results_unusable', { folder, reason }, { cause: error });
}

/**
 * A full disk, or a folder that can't be written, as the error a person reads; any other error as it is.
 * An error that does not say where it happened can only be a full disk.
 */
export async function asWriteFault(error: unknown, places: Places): Promise<unknown> {
  const results = join(places.experimentDir, RESULTS_FOLDER);
  if (isDiskFull(error)) {
    const where = await fullest([results, places.stateRoot]);
    return new LlmxError('no_space', { where }, { cause: error });
  }
  const path = placeOf(error);
  if (path === null) return error;
  const reason = refusalOf(error) ?? (await refusalBehind(error, path));
  if (reason === null) return error;
  if (isBelow(path, places.stateRoot)) {
    const folder = places.stateRoot;
    return new LlmxError('state_folder_unusable', { folder, reason }, { cause: error });
  }
  if (!isBelow(path, places.experimentDir)) return error;
  const folder = await firstThatIsThere(path);
  return new LlmxError('results_unusable', { folder, reason }, { cause: error });
}

/** A copy names its source first. */
function placeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return dest ?? path ?? null;
}

/** Node says of a folder that can't be made on a read-only disk that it is missing. */
async function refusalBehind(error: unknown, path: string): Promise<string | null> {
  if (!isErrno(error, 'ENOENT')) return null;
  return access(await firstThatIsThere(path), constants.W_OK).then(() => null, refusalOf);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

async function fullest(folders: readonly string[]): Promise<string> {
  const free = await Promise.all(folders.map(async (folder) => await freeGb(folder)));
  return folders[free.indexOf(Math.min(...free))] ?? '';
}

/** What is to be mended: the path itself, or the nearest folder above it that exists. */
async function firstThatIsThere(path: string): Promise<string> {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const isThere = await lstat(at).then(
      () => true,
      () => false,
    );
    if (isThere) return at;
  }
  return path;
}
