import { constants } from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAM_FILES } from '../domain/trial/program-contract.js';
import { isErrno, writeFileAtomic } from '../support/atomic-file.js';
import { openPlainFile, type PlainFile } from '../support/plain-file.js';

/** Names in the attempt's folder. The agent's standard output is its transcript. */
const ARTIFACTS = [
  [PROGRAM_FILES.diff, 'agent.diff'],
  [PROGRAM_FILES.before, 'test_before.txt'],
  [PROGRAM_FILES.after, 'test_after.txt'],
  [PROGRAM_FILES.pristine, 'test_pristine.txt'],
  [PROGRAM_FILES.prepare, 'db_prepare.txt'],
  [PROGRAM_FILES.agentStderr, 'agent_stderr.txt'],
  [PROGRAM_FILES.agentStdout, 'transcript.jsonl'],
] as const;

/**
 * Copies what the program wrote; what was not reached is not there. Nothing of the trial may run any more.
 * @returns names of those that are there and can't be kept: an agent may have spoilt them, which must
 * not stop the attempt from being closed
 */
export async function copyArtifacts(
  outDir: string,
  attemptDir: string,
): Promise<readonly string[]> {
  await mkdir(attemptDir, { recursive: true });
  const kept = await Promise.all(
    ARTIFACTS.map(([from, to]) => copyPlainFile(join(outDir, from), join(attemptDir, to))),
  );
  return ARTIFACTS.flatMap(([, to], at) => (kept[at] === false ? [to] : []));
}

export async function writeAnswer(attemptDir: string, answer: string): Promise<void> {
  await writeFileAtomic(join(attemptDir, 'answer.txt'), answer);
}

/** What supervisor and trial program said, for an attempt that ended in a way llmx does not know. */
export async function keepLog(logFile: string, attemptDir: string): Promise<void> {
  await copyPlainFile(logFile, join(attemptDir, 'supervisor.log'), 1);
}

/**
 * Anything but a plain file is left: an agent could put a link to a file of this user in its place.
 * @returns false when there is something that can't be copied
 * @throws the error of a write that failed: that is no fault of what is copied
 */
async function copyPlainFile(from: string, to: string, minBytes = 0): Promise<boolean> {
  let source: PlainFile | null;
  try {
    source = await openPlainFile(from);
  } catch (error) {
    return isErrno(error, 'ENOENT'); // else a folder that is none, or one that was shut
  }
  if (source === null) return false;
  await source.handle.close();
  if (source.isLinked) return false;
  if (source.sizeBytes < minBytes) return true;
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const handle = await open(to, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return true;
}
