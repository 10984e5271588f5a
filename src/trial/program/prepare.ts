import type { ProgramSpec } from '../../domain/trial/program-contract.js';
import { servicesCommand } from './in-container.js';
import { outFile, type Phase, type PhaseContext } from './state.js';
import { runShell } from './shell.js';

/** Prepares the database, where the app has one. */
export const prepare: Phase = async ({ spec }: PhaseContext) => {
  const failure = await startServices(spec, outFile(spec, 'prepare'));
  if (failure !== null) return { found: {}, abort: { reason: 'setup_failed', detail: failure } };
  if (spec.dbPrepare === null) return { found: {} };
  const end = await runShell(spec, {
    script: spec.dbPrepare,
    cwd: spec.checkoutDir,
    outputFile: outFile(spec, 'prepare'),
    append: servicesCommand(spec) !== null,
  });
  const found = { dbPrepareExit: end.exit };
  if (end.exit === 0 && !end.timedOut) return { found };
  const how = end.timedOut ? 'ran out of time' : endedHow(end);
  return { found, abort: { reason: 'setup_failed', detail: `db_prepare ${how}` } };
};

/**
 * What the image has to run beside the app. It stays when the command ends, and goes with the container.
 * @returns what is wrong, or null
 */
export async function startServices(spec: ProgramSpec, outputFile: string): Promise<string | null> {
  const script = servicesCommand(spec);
  if (script === null) return null;
  const end = await runShell(spec, { script, cwd: spec.outDir, outputFile });
  if (end.exit === 0 && !end.timedOut) return null;
  return `${script} ${end.timedOut ? 'ran out of time' : endedHow(end)}; read db_prepare.txt`;
}

function endedHow(end: { readonly exit: number | null; readonly signal: string | null }): string {
  return end.exit === null ? `was ended by ${end.signal ?? 'a signal'}` : `exited with ${end.exit}`;
}
