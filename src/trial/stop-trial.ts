import { writeFile } from 'node:fs/promises';
import { isErrno } from '../support/atomic-file.js';
import { crashPoint } from '../support/test-switches.js';
import { ownerRuns, readOwner } from './owner.js';
import { trialFiles } from './trial-files.js';

/**
 * Asks a trial to end; it records itself as `cancelled`. Does not wait. The request is kept in a file
 * as well, for a supervisor that is still on its way.
 */
export async function stopTrial(trialDir: string): Promise<void> {
  const files = trialFiles(trialDir);
  try {
    await writeFile(files.stop, '', { mode: 0o600 });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return; // closed already, or never begun
    throw error;
  }
  crashPoint('stop:asked');
  const owner = await readOwner(files.owner);
  if (owner === null || owner.fenced || !ownerRuns(owner)) return;
  try {
    process.kill(owner.pid, 'SIGTERM');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error; // ended in between
  }
}
