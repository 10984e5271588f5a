import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from './atomic-file.js';

/** Free space for this user in GB (1e9 bytes) where the path is, or will be once it is made. */
export async function freeGb(path: string): Promise<number> {
  try {
    const stats = await statfs(path);
    return (stats.bavail * stats.bsize) / 1e9;
  } catch (error) {
    if (!isErrno(error, 'ENOENT') || dirname(path) === path) throw error;
    return freeGb(dirname(path));
  }
}
