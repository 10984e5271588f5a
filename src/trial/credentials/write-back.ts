import { realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sandboxPaths } from '../../runtimes/sandbox-paths.js';
import { CREDENTIAL_FILE, HOME_FOLDER, type LoginAgent } from '../../storage/auth/login-agent.js';
import { readPrivateFile, type PrivateFile } from '../../storage/auth/private-file.js';
import { returnCredential, type ReturnEnd } from '../../storage/auth/return-credential.js';
import { isErrno } from '../../support/atomic-file.js';
import type { TrialFiles } from '../trial-files.js';
import { readHandedOut } from './handed-out.js';

/**
 * Brings a login that a CLI refreshed during its trial back into the store: a refresh may have ended the
 * stored one. Nothing of the trial runs any more, and the caller holds the host, so no other trial does.
 * What an agent put in the place of the file is refused. @returns null when no login was out
 */
export async function writeBackCredentials(
  files: Pick<TrialFiles, 'credentials' | 'sandbox'>,
  nowMs: number,
): Promise<ReturnEnd | null> {
  const handed = await readHandedOut(files.credentials);
  if (handed === null) return null;
  const { agent, root, sha256 } = handed;
  const left = await readLeft(files.sandbox, agent);
  const end = await returned();
  await rm(files.credentials, { force: true });
  return end;

  function returned(): Promise<ReturnEnd> | ReturnEnd {
    if (left.status !== 'read') return { status: 'refused', reason: reasonOf(left) };
    return returnCredential({ root, agent, storedSha256: sha256, content: left.content, nowMs });
  }
}

/** The credential file as the trial left it. */
export async function readLeft(sandbox: string, agent: LoginAgent): Promise<PrivateFile> {
  const folder = join(sandboxPaths(sandbox).home, HOME_FOLDER[agent]);
  // A link anywhere on the way would lead to a file that is not the trial's.
  const place = await realpath(dirname(sandbox)).catch(missing);
  const real = await realpath(folder).catch(missing);
  if (place === null || real === null) return { status: 'missing' };
  if (real !== join(place, folder.slice(dirname(sandbox).length))) {
    return { status: 'refused', reason: 'lies behind a symbolic link' };
  }
  return readPrivateFile(join(folder, CREDENTIAL_FILE[agent]));
}

function reasonOf(left: Exclude<PrivateFile, { readonly status: 'read' }>): string {
  return left.status === 'missing' ? 'it is gone' : `it ${left.reason}`;
}

function missing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].some((code) => isErrno(error, code))) return null;
  throw error;
}
