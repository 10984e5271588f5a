import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';

/**
 * The spec with an empty HOME and TMPDIR beside the checkout for grading: what the agent left in its own
 * (a shell profile, settings of a package manager) must not reach what grades it.
 */
export function withFreshHome(spec: ProgramSpec): ProgramSpec {
  // A container for grading has never seen the agent: its own are fresh, and its services live there.
  if (spec.container !== undefined) return spec;
  const parent = dirname(spec.gradeDir);
  const HOME = emptyFolder(join(parent, 'grade-home'));
  const TMPDIR = emptyFolder(join(parent, 'grade-tmp'));
  return { ...spec, env: { ...spec.env, HOME, TMPDIR } };
}

function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  return path;
}
