import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';

/** What the checkout for grading looked like before the agent started. */
export interface GradeSeal {
  readonly commitId: string;
  /** Over the files of the repository that decide what git does there. */
  readonly digest: string;
}

export function sealGrade(spec: ProgramSpec, commitId: string): GradeSeal {
  return { commitId, digest: digest(spec) };
}

/** False when the agent reached into the checkout for grading, which only a weak sandbox lets it do. */
export function isSealIntact(spec: ProgramSpec, seal: GradeSeal): boolean {
  return digest(spec) === seal.digest;
}

function digest(spec: ProgramSpec): string {
  const hash = createHash('sha256');
  for (const name of ['HEAD', 'config', 'index', 'info/exclude', `refs/heads/${spec.branch}`]) {
    hash.update(`${name}\0`).update(read(join(spec.gradeDir, '.git', name)));
  }
  return hash.digest('hex');
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0); // not there: a different digest unless it was not there before
  }
}
