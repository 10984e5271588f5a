import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from './atomic-file.js';

/** Free space for this user in GB (1e9 bytes) where the path is, or will be once it is made. */
export async function freeGb(path: string): Promise<number> {
  try {
    const stats = await statfs(path);
    return (stats.bavail * stats.bsize) / 1e9;
  } catch (error) {
    // A file in the way is another check's to report.
    const isMissing = isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR');
    if (!isMissing || dirname(path) === path) throw error;
    return freeGb(dirname(path));
  }
}

/** Less than this can't hold the records of one trial. */
const FULL_BYTES = 64 * 1024;

/** Whether nothing more fits where the path is. Root may use what is kept back for it. */
export async function isDiskFullAt(path: string): Promise<boolean> {
  const { bavail, bfree, bsize } = await statfs(path);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize < FULL_BYTES;
}
