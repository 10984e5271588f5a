import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type {
  ProgramProgress,
  ProgramResult,
  ProgramSpec,
  TrialPhase,
} from '../../domain/trial/program-contract.js';
import { isFolder } from '../../git/work-tree-changes.js';
import { writeFresh } from './fresh-file.js';
import { outFile } from './state.js';

/** Read by the supervisor while the program runs; a reader has to bear half a line. */
export function writeProgress(spec: ProgramSpec, phase: TrialPhase, waits = false): void {
  if (!existsSync(spec.outDir)) mkdirSync(spec.outDir, { recursive: true });
  if (!isFolder(spec.outDir)) throw new Error('the folder for results is no folder any more');
  const progress: ProgramProgress = { phase, waits, startedAt: new Date().toISOString() };
  writeFresh(outFile(spec, 'progress'), `${JSON.stringify(progress)}\n`);
}

/** The file appears whole, in the place of whatever an agent put there. It need not outlive a power cut: the trial does not either. */
export function writeResult(spec: ProgramSpec, result: ProgramResult): void {
  const file = outFile(spec, 'result');
  const temporary = `${file}.${process.pid}.tmp`;
  writeFresh(temporary, `${JSON.stringify(result, null, 2)}\n`);
  rmSync(file, { recursive: true, force: true });
  renameSync(temporary, file);
}
