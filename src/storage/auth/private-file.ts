import { lstat } from 'node:fs/promises';
import { isErrno } from '../../support/atomic-file.js';
import { refusalOf } from '../../support/file-faults.js';
import { openPlainFile } from '../../support/plain-file.js';
import { objectOf, type JsonObject } from './credential-facts.js';

/** No credential file of any CLI comes near. */
const LONGEST_BYTES = 1024 * 1024;

/** What a file holds, or why it is not read. `missing` is no fault. */
export type PrivateFile =
  | { readonly status: 'read'; readonly content: string }
  | { readonly status: 'missing' }
  | { readonly status: 'refused'; readonly reason: string };

/**
 * Reads a small file that somebody else may have put there: links are not followed, nothing but a plain
 * file with one name is read. With `repair` its mode becomes 0600.
 */
export async function readPrivateFile(
  path: string,
  options: { readonly repair?: boolean } = {},
): Promise<PrivateFile> {
  try {
    const opened = await openPlainFile(path);
    if (opened === null) return { status: 'refused', reason: await notPlain(path) };
    const { handle, isLinked, sizeBytes } = opened;
    try {
      if (isLinked) return refused('has a second name (a hard link)');
      if (sizeBytes > LONGEST_BYTES) return refused(`is larger than ${LONGEST_BYTES} bytes`);
      if (options.repair === true && ((await handle.stat()).mode & 0o177) !== 0) {
        await handle.chmod(0o600);
      }
      return { status: 'read', content: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return { status: 'missing' };
    const reason = refusalOf(error);
    if (reason === null) throw error;
    return refused(`can not be read: ${reason}`);
  }
}

function refused(reason: string): PrivateFile {
  return { status: 'refused', reason };
}

async function notPlain(path: string): Promise<string> {
  const info = await lstat(path);
  if (info.isSymbolicLink()) return 'is a symbolic link';
  return info.isDirectory() ? 'is a folder' : 'is no plain file';
}

/** Null for anything but an object: a file that was cut off, say. */
export function parseObject(content: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(content);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? objectOf(value) : null;
  } catch {
    return null; // the parser's message would quote the file
  }
}
