import type { EndedBy, EndingContext } from '../domain/trial/ending/ending.js';
import type { StartExpectations } from '../domain/trial/hermeticity.js';
import { openPlainFile } from '../support/plain-file.js';
import type { AgentEnd } from './agent.js';

/** What a run is judged against. Everything may be left out. */
export interface RunExpectations extends StartExpectations {
  /** As in experiment.yml; null: the CLI's own default. */
  readonly modelRequested?: string | null;
  /** `TZ` of the CLI process. @defaultValue UTC */
  readonly timeZone?: string;
  /** Which watchdog ended it. @defaultValue `wall-clock` when the run timed out */
  readonly endedBy?: EndedBy | null;
  /** codex: its `rollout-*.jsonl`, when it keeps one. */
  readonly sessionFile?: string | null;
}

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
    endedBy: endedBy ?? (run.timedOut ? 'wall-clock' : null),
    observedAtMs: Number.isNaN(finishedAtMs) ? Date.now() : finishedAtMs,
    timeZone,
    stderr: await readEnd(stderrFile, MAX_STDERR_BYTES),
  };
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
