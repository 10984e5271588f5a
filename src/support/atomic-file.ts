import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, basename } from 'node:path';

export interface AtomicOptions {
  /** @defaultValue 0o644 */
  readonly mode?: number;
  /**
   * What has to outlive a power cut: `all`, only the content once the name is there (another write to the
   * folder makes the name durable), or nothing, where a restart makes the file void anyway.
   * @defaultValue all
   */
  readonly sync?: 'all' | 'content' | 'nothing';
}

/**
 * Writes a file so that a reader sees the old content or the new, never a part: temporary file in the
 * same folder, fsync, rename, fsync of the folder. Missing parent folders are made.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: AtomicOptions = {},
): Promise<void> {
  const temporary = await writeTemporary(path, content, options);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (syncsFolder(options)) await syncFolder(dirname(path));
}

/**
 * Like {@link writeFileAtomic}, but the first writer wins: the file appears whole and is never replaced.
 * @returns whether this call created the file
 */
export async function createFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: AtomicOptions = {},
): Promise<boolean> {
  const temporary = await writeTemporary(path, content, options);
  try {
    await link(temporary, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  if (syncsFolder(options)) await syncFolder(dirname(path));
  return true;
}

/** JSON with a final newline and two spaces, atomically. */
export async function writeJsonAtomic(
  path: string,
  value: unknown,
  options: AtomicOptions = {},
): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, options);
}

/** The file's JSON, or null when there is no such file. Broken JSON throws a SyntaxError. */
export async function readJsonIfExists(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as unknown);
}

export function isErrno(error: unknown, code: string): boolean {
  // Not by instanceof: under Jest, Node's own errors are of another realm.
  return (
    typeof error === 'object' && error !== null && (error as NodeJS.ErrnoException).code === code
  );
}

async function writeTemporary(
  path: string,
  content: string | Uint8Array,
  { mode = 0o644, sync = 'all' }: AtomicOptions,
): Promise<string> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  // Two processes with the same pid in two namespaces may share the folder, so the name is random.
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', mode);
  try {
    await handle.writeFile(content);
    if (sync !== 'nothing') await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await handle.close();
  return temporary;
}

function syncsFolder({ sync = 'all' }: AtomicOptions): boolean {
  return sync === 'all';
}

/** Makes names that were added to the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
