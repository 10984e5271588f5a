import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const SCRATCH = Buffer.allocUnsafe(128 * 1024);

/**
 * A file in /proc, valid until the next call. Before and after each trial those of every process on the
 * machine are read, so it is one open and one read each, and no new memory.
 */
export function readProcFile(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const length = readSync(fd, SCRATCH, 0, SCRATCH.length, 0);
    return length < SCRATCH.length ? SCRATCH.subarray(0, length) : readFileSync(file);
  } finally {
    closeSync(fd);
  }
}
