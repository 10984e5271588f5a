import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../support/hash.js';
import { acquireKernelLock } from '../support/kernel-lock.js';
import { checkProgram } from './check-program.js';
import { cachedProgram, type Attempt, type SearchOptions } from './program-source.js';

const WORK_PREFIX = '.making-';

/**
 * Puts a program into llmx's cache, where it appears whole or not at all. Of several processes one makes
 * it and the others wait.
 * @param make gets an empty folder and says where in it the program is
 */
export async function makeProgram(
  { env, note }: SearchOptions,
  make: (folder: string) => Promise<Attempt>,
): Promise<Attempt> {
  const target = cachedProgram(env);
  const lock = await acquireKernelLock(`program-${sha256(target).slice(0, 16)}`, {
    onWait: () => {
      note('another llmx process is making the Temporal program; waiting for it');
    },
  });
  try {
    const made = await checkProgram(target);
    return made.kind === 'found' ? made : await makeInto(target, make);
  } finally {
    await lock.release();
  }
}

async function makeInto(
  target: string,
  make: (folder: string) => Promise<Attempt>,
): Promise<Attempt> {
  const bin = dirname(target);
  await mkdir(bin, { recursive: true });
  await removeLeftovers(bin);
  const folder = await mkdtemp(join(bin, WORK_PREFIX));
  try {
    const attempt = await make(folder);
    if (attempt.kind === 'failed') return attempt;
    const checked = await checkProgram(attempt.path);
    if (checked.kind === 'failed') return checked;
    await rename(checked.path, target);
    return { kind: 'found', path: target };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of processes that were killed while they made it; nobody else is at work under the lock. */
async function removeLeftovers(bin: string): Promise<void> {
  for (const name of await readdir(bin)) {
    if (name.startsWith(WORK_PREFIX)) await rm(join(bin, name), { recursive: true, force: true });
  }
}
