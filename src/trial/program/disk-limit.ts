import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SANDBOX_LIMIT_BYTES } from '../../domain/trial/limits.js';
import type { ProgramSpec } from '../../domain/trial/program-contract.js';

const MEASURE_TIMEOUT_MS = 60_000;

/**
 * Tells whether the sandbox has grown beyond its limit. Asking costs nothing while the disk has lost less
 * than that since the start; only then is it worth finding out who has taken it.
 */
export function diskLimit(spec: ProgramSpec): () => boolean {
  const root = dirname(spec.outDir);
  const limitBytes = spec.diskLimitBytes ?? SANDBOX_LIMIT_BYTES;
  const freeAtStart = freeBytes(root);
  let measuredAt = freeAtStart;
  return () => {
    const free = freeBytes(root);
    const isWorthIt = freeAtStart - free > limitBytes && measuredAt - free > limitBytes / 16;
    if (!isWorthIt) return false;
    measuredAt = free;
    return usedBytes(root) > limitBytes;
  };
}

function freeBytes(folder: string): number {
  const { bfree, bsize } = statfsSync(folder);
  return bfree * bsize;
}

/** 0 when it can't be told: a limit is not reached by a guess. */
function usedBytes(folder: string): number {
  try {
    const said = execFileSync('du', ['-sk', folder], {
      timeout: MEASURE_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    return Number(said.split(/\s/, 1)[0]) * 1024;
  } catch (error) {
    // It says so when a file went away meanwhile, and still gives the sum.
    const { stdout } = error as { readonly stdout?: string };
    return Number(stdout?.split(/\s/, 1)[0] ?? 0) * 1024;
  }
}
