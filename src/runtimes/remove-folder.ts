import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Removes a folder and all that is in it, also what was made read-only. */
export async function removeFolder(root: string): Promise<void> {
  try {
    await execute('rm', ['-rf', '--', root]);
  } catch {
    // Package caches hold read-only folders, which only root can empty as they are.
    await execute('chmod', ['-R', 'u+rwX', '--', root]);
    await execute('rm', ['-rf', '--', root]);
  }
}
