import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isErrno } from './atomic-file.js';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Link at the path, socket, and a device nobody is behind. */
const NOT_PLAIN = ['ELOOP', 'ENXIO', 'ENODEV'];

export interface PlainFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  /** It may be another file of this user under a second name. */
  readonly isLinked: boolean;
}

/**
 * Opens a file that an agent could have replaced: a named pipe does not hold the caller up, and a link is
 * not followed. Null for anything but a plain file.
 * @throws the system's error, also when there is no such file
 */
export async function openPlainFile(file: string): Promise<PlainFile | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    if (NOT_PLAIN.some((code) => isErrno(error, code))) return null;
    throw error;
  }
  const info = await handle.stat();
  if (info.isFile()) return { handle, sizeBytes: info.size, isLinked: info.nlink > 1 };
  await handle.close();
  return null;
}

/** True when it can be opened for reading and is a plain file. */
export async function isPlainFile(file: string): Promise<boolean> {
  try {
    const opened = await openPlainFile(file);
    await opened?.handle.close();
    return opened !== null;
  } catch {
    return false; // missing, or out of reach: either way not to be read
  }
}
