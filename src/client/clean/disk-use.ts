import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../support/atomic-file.js';

const BLOCK = 512;

/** What a file, or a folder with all below it, takes on disk. What goes while it is counted, or is closed to this user, counts nothing. */
export async function bytesOnDisk(path: string): Promise<number> {
  const stats = await lstat(path).catch(ignoreUnseen);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.blocks * BLOCK;
  let sum = stats.blocks * BLOCK;
  for (const name of (await readdir(path).catch(ignoreUnseen)) ?? []) {
    sum += await bytesOnDisk(join(path, name));
  }
  return sum;
}

function ignoreUnseen(error: unknown): null {
  const codes = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];
  if (codes.some((code) => isErrno(error, code))) return null;
  throw error;
}
