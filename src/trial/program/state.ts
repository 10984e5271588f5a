import { join } from 'node:path';
import {
  PROGRAM_FILES,
  type ProgramAbort,
  type ProgramResult,
  type ProgramSpec,
} from '../../domain/trial/program-contract.js';
import type { GradeSeal } from './grade-seal.js';

/** What a phase may read: the spec and what the phases before it found. */
export interface PhaseContext {
  readonly spec: ProgramSpec;
  readonly result: ProgramResult;
  /** Null when `isolate` ran in another process. */
  readonly seal: GradeSeal | null;
}

export interface Abort {
  readonly reason: ProgramAbort;
  /** One sentence for a reader. */
  readonly detail: string;
}

/** What a phase adds to the result; with `abort` the program ends after it. */
export interface PhaseEnd {
  readonly found: Partial<ProgramResult>;
  readonly abort?: Abort;
  readonly seal?: GradeSeal;
}

export type Phase = (context: PhaseContext) => Promise<PhaseEnd>;

export const EMPTY_RESULT: ProgramResult = {
  schemaVersion: 1,
  aborted: null,
  abortDetail: null,
  isolation: null,
  dbPrepareExit: null,
  before: null,
  agent: null,
  changes: null,
  after: null,
  grade: null,
};

export function outFile(spec: ProgramSpec, name: keyof typeof PROGRAM_FILES): string {
  return join(spec.outDir, PROGRAM_FILES[name]);
}
