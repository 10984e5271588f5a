import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  PROGRAM_FILES,
  TRIAL_PHASES,
  type ProgramProgress,
  type TrialPhase,
} from '../../domain/trial/program-contract.js';
import { readRecord } from '../trial-files.js';
import type { TrialProgress } from '../trial-request.js';

/** What a trial program says of itself; null before its first phase. */
export async function readProgramProgress(
  outDir: string,
): Promise<Pick<ProgramProgress, 'phase' | 'waits'> | null> {
  const file = join(outDir, PROGRAM_FILES.progress);
  const record = await readRecord(file).catch(() => null); // an agent may have spoilt it
  const phase = TRIAL_PHASES.find((name) => name === record?.['phase']);
  return phase === undefined ? null : { phase, waits: record?.['waits'] === true };
}

/** The phase that a trial program is in; null while it waits. */
export async function programPhase(outDir: string): Promise<TrialPhase | null> {
  const progress = await readProgramProgress(outDir);
  return progress === null || progress.waits ? null : progress.phase;
}

/** Tells whoever looks how far the trial is. Losing it loses nothing, so it is not synced to disk. */
export class ProgressFile {
  private phase = '';
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  enter(phase: string): void {
    if (phase === this.phase) return;
    this.phase = phase;
    const progress: TrialProgress = { schemaVersion: 1, phase, since: new Date().toISOString() };
    this.writing = this.writing.then(() => this.write(progress));
  }

  /** Takes over the phase that the trial program says it is in. */
  async follow(outDir: string): Promise<void> {
    const phase = await programPhase(outDir);
    if (phase !== null) this.enter(phase);
  }

  /** After this nothing is written any more. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async write(progress: TrialProgress): Promise<void> {
    const temporary = `${this.file}.tmp`;
    try {
      await writeFile(temporary, JSON.stringify(progress));
      await rename(temporary, this.file);
    } catch {
      // A full disk is met again by the files that count; progress alone must not end a trial.
    }
  }
}
