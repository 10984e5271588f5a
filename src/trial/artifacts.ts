import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAM_FILES } from '../domain/trial/program-contract.js';
import { isErrno, writeFileAtomic } from '../support/atomic-file.js';

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

/** Copies what the program wrote; what was not reached is not there. Nothing of the trial may run any more. */
export async function copyArtifacts(outDir: string, attemptDir: string): Promise<void> {
  await mkdir(attemptDir, { recursive: true });
  await Promise.all(
    ARTIFACTS.map(([from, to]) => copyPlainFile(join(outDir, from), join(attemptDir, to))),
  );
}

export async function writeAnswer(attemptDir: string, answer: string): Promise<void> {
  await writeFileAtomic(join(attemptDir, 'answer.txt'), answer);
}

/** What supervisor and trial program said, for an attempt that ended in a way llmx does not know. */
export async function keepLog(logFile: string, attemptDir: string): Promise<void> {
  await copyPlainFile(logFile, join(attemptDir, 'supervisor.log'), 1);
}

/** Anything but a plain file is left: an agent could put a link to a file of this user in its place. */
async function copyPlainFile(from: string, to: string, minBytes = 0): Promise<void> {
  try {
    const info = await lstat(from);
    if (!info.isFile() || info.nlink > 1 || info.size < minBytes) return;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return;
    throw error;
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const handle = await open(to, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
