import { readFileSync, rmSync } from 'node:fs';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';
import { killRunningGroups } from '../../runtimes/run-in-group.js';
import { withContainerEnv } from './in-container.js';
import { endEscapees } from './end-escapees.js';
import { holdLifeline, type Lifeline } from './lifeline.js';
import { runProgram } from './run-program.js';

/** Exit code 0 says that `program-result.json` was written, whatever is in it. */
const EXIT_USAGE = 2;
const EXIT_ORPHANED = 3;

function readSpec(path: string | undefined): ProgramSpec {
  if (path === undefined) throw new Error('usage: program.mjs <spec.json>');
  const text = readFileSync(path, 'utf8');
  // It names what the agent is not to see: the test, and the files where the bug is.
  rmSync(path);
  const spec = JSON.parse(text) as Partial<ProgramSpec> | null;
  if (spec?.schemaVersion !== 1 || !Array.isArray(spec.phases)) {
    throw new Error('the spec is not of schema version 1');
  }
  return withContainerEnv(spec as ProgramSpec);
}

/** A trial program that is told to end takes what it started with it and leaves no result. */
function endOnSignals(): void {
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGINT', 2],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => {
      killRunningGroups();
      process.exit(128 + number);
    });
  }
}

const WITHOUT_LIFELINE: Lifeline = { goAhead: () => Promise.resolve() };

/** Nobody would read the result, and the agent may cost money by the minute. */
async function endOrphan(spec: ProgramSpec): Promise<never> {
  killRunningGroups();
  try {
    await endEscapees(spec, true);
  } finally {
    process.exit(EXIT_ORPHANED);
  }
}

function fail(error: unknown, exit: number): never {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`trial program: ${reason}\n`);
  process.exit(exit);
}

endOnSignals();
// Else the signal opens Node's debugger, and the agent could reach into this program.
process.on('SIGUSR1', () => undefined);
try {
  const spec = readSpec(process.argv[2]);
  const lifeline =
    spec.endWithStdin === true ? holdLifeline(() => void endOrphan(spec)) : WITHOUT_LIFELINE;
  await runProgram(spec, lifeline).catch((error: unknown) => fail(error, 1));
} catch (error) {
  fail(error, EXIT_USAGE);
}
