import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type {
  ProgramResult,
  ProgramSpec,
  TrialPhase,
} from '../../domain/trial/program-contract.js';
import { outFile } from './state.js';

/** Read by the supervisor while the program runs; a reader has to bear half a line. */
export function writeProgress(spec: ProgramSpec, phase: TrialPhase): void {
  mkdirSync(spec.outDir, { recursive: true });
  const progress = { phase, startedAt: new Date().toISOString() };
  writeFileSync(outFile(spec, 'progress'), `${JSON.stringify(progress)}\n`);
}

/** The file appears whole. It need not outlive a power cut: the trial does not either. */
export function writeResult(spec: ProgramSpec, result: ProgramResult): void {
  const file = outFile(spec, 'result');
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(result, null, 2)}\n`);
  renameSync(temporary, file);
}
