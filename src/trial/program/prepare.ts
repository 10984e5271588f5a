import { outFile, type Phase, type PhaseContext } from './state.js';
import { runShell } from './shell.js';

/** Prepares the database, where the app has one. */
export const prepare: Phase = async ({ spec }: PhaseContext) => {
  if (spec.dbPrepare === null) return { found: {} };
  const end = await runShell(spec, {
    script: spec.dbPrepare,
    cwd: spec.checkoutDir,
    outputFile: outFile(spec, 'prepare'),
  });
  const found = { dbPrepareExit: end.exit };
  if (end.exit === 0 && !end.timedOut) return { found };
  const how = end.timedOut ? 'ran out of time' : endedHow(end);
  return { found, abort: { reason: 'setup_failed', detail: `db_prepare ${how}` } };
};

function endedHow(end: { readonly exit: number | null; readonly signal: string | null }): string {
  return end.exit === null ? `was ended by ${end.signal ?? 'a signal'}` : `exited with ${end.exit}`;
}
