import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Opens a file that is new, whatever lay there: an agent may have left a folder, a link to somewhere else
 * or a named pipe, which would hold the program up for ever.
 */
export function openFresh(file: string): number {
  rmSync(file, { recursive: true, force: true });
  return openSync(file, 'wx');
}

export function writeFresh(file: string, text: string): void {
  const fd = openFresh(file);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
