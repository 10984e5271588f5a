import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { Environment } from './paths.js';

/** Absolute path of a program on PATH or in one of the further folders, or null. */
export async function whichProgram(
  name: string,
  env: Environment,
  furtherFolders: readonly string[] = [],
): Promise<string | null> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, ...furtherFolders]) {
    const path = resolve(join(folder, name));
    if (await isProgram(path)) return path;
  }
  return null;
}

/** An executable file. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // missing or closed to us: the next folder
  }
}
