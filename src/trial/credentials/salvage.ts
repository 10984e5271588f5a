import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { returnCredential } from '../../storage/auth/return-credential.js';
import { isErrno, writeJsonAtomic } from '../../support/atomic-file.js';
import { pathExists } from '../../support/path-exists.js';
import { ensurePrivateFolder } from '../../support/private-folder.js';
import { readRecord, trialFiles, type TrialFiles } from '../trial-files.js';
import { readHandedOut } from './handed-out.js';
import { readLeft } from './write-back.js';

/**
 * Keeps the login of a trial whose supervisor died, before its sandbox is removed: its CLI may have refreshed
 * it, and then the stored one is worth nothing. Needs no hold of the host, because the store is not touched.
 */
export async function salvageCredentials(
  files: Pick<TrialFiles, 'credentials' | 'sandbox' | 'salvagedLogin'>,
): Promise<void> {
  const handed = await readHandedOut(files.credentials);
  if (handed === null) return;
  const left = await readLeft(files.sandbox, handed.agent);
  if (left.status === 'read') {
    await ensurePrivateFolder(dirname(files.salvagedLogin));
    await writeJsonAtomic(
      files.salvagedLogin,
      { ...handed, content: left.content },
      { mode: 0o600 },
    );
  }
  await rm(files.credentials, { force: true });
}

/** Whether another trial of the state folder still has a copy of a login. */
export async function isLoginOut(trialsDir: string, except: string): Promise<boolean> {
  for (const name of await readdir(trialsDir)) {
    if (name === except) continue;
    if (await pathExists(trialFiles(join(trialsDir, name)).credentials)) return true;
  }
  return false;
}

/** Brings salvaged logins back into the store. The caller holds the host: no trial runs. */
export async function returnSalvaged(
  folder: string,
  nowMs: number,
  note: (text: string) => void,
): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  });
  for (const name of names.filter((found) => found.endsWith('.json') && !found.startsWith('.'))) {
    const file = join(folder, name);
    const handed = await readHandedOut(file);
    const content = (await readRecord(file))?.['content'];
    if (handed !== null && typeof content === 'string') {
      const { agent, root, sha256 } = handed;
      const end = await returnCredential({ root, agent, storedSha256: sha256, content, nowMs });
      note(`login of ${agent} from a dead trial: ${end.status}`);
    }
    await rm(file, { force: true });
  }
}
