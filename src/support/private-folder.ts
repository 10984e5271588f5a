import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { LlmxError } from '../errors/llmx-error.js';
import { refusalOf } from './file-faults.js';

/**
 * Makes the folder (and its parents) when it is missing and closes it to other users.
 * @throws LlmxError `state_folder_unusable`
 */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { mode } = await stat(folder);
    if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = refusalOf(error) ?? (error as NodeJS.ErrnoException).code ?? String(error);
    throw new LlmxError('state_folder_unusable', { folder, reason }, { cause: error });
  }
}
