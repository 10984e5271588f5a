import type { EndedBy, EndingContext } from '../domain/trial/ending/ending.js';
import { openPlainFile } from '../support/plain-file.js';
import type { AgentEnd, RunExpectations } from './agent.js';

/** Of the end of standard error; what a CLI has to say fits into it. */
const MAX_STDERR_BYTES = 64 * 1024;

export async function endingContext(
  { run, stderrFile }: AgentEnd,
  { endedBy, timeZone = 'UTC' }: RunExpectations,
): Promise<EndingContext> {
  const finishedAtMs = Date.parse(run.finishedAt);
  return {
    exit: run.exit,
    signal: run.signal,
    endedBy: endedBy ?? endedByOf(run),
    observedAtMs: Number.isNaN(finishedAtMs) ? Date.now() : finishedAtMs,
    timeZone,
    stderr: await readEnd(stderrFile, MAX_STDERR_BYTES),
  };
}

function endedByOf({ stalled, timedOut }: AgentEnd['run']): EndedBy | null {
  if (stalled === true) return 'stall';
  return timedOut ? 'wall-clock' : null;
}

/** Empty for a file that is missing or no plain file: the CLI said nothing then. */
async function readEnd(file: string, maxBytes: number): Promise<string> {
  const plain = await openPlainFile(file).catch(() => null);
  if (plain === null) return '';
  try {
    const length = Math.min(plain.sizeBytes, maxBytes);
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await plain.handle.read(bytes, 0, length, plain.sizeBytes - length);
    return bytes.subarray(0, bytesRead).toString();
  } finally {
    await plain.handle.close();
  }
}
