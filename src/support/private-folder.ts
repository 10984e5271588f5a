import { chmod, mkdir, stat } from 'node:fs/promises';
import { LlmxError } from '../errors/llmx-error.js';

/**
 * Makes the folder (and its parents) when it is missing and closes it to other users.
 * @throws LlmxError `state_folder_unusable`
 */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { mode } = await stat(folder);
    if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new LlmxError('state_folder_unusable', { folder, reason }, { cause: error });
  }
}
