import { createHash } from 'node:crypto';
import { readProcFile } from './proc-file.js';
import type { TrialMarker } from './runtime.js';

/**
 * A second marker, for processes that clear their environment and go elsewhere: a limit that the kernel
 * has kept for its name only since Linux 2.4 (of file locks). It is inherited by every descendant.
 */
export function tagOf(marker: TrialMarker): number {
  const digest = createHash('sha256').update(`${marker.stateId}/${marker.trialHash}`).digest();
  return digest.readUIntBE(0, 6);
}

/** The tag of a process, or null when it has none; `folder` is its folder in /proc. */
export function tagIn(folder: string): number | null {
  const limits = readProcFile(`${folder}/limits`).toString('latin1');
  const value = /^Max file locks +(\d+) /m.exec(limits)?.[1];
  return value === undefined ? null : Number(value);
}

/** Starts the command with the tag, where the shell knows the limit by either of its letters. */
export function withTag(argv: readonly string[], marker: TrialMarker): readonly string[] {
  if (process.platform !== 'linux') return argv;
  const tag = tagOf(marker);
  const script = `ulimit -S -w ${tag} 2>/dev/null || ulimit -S -x ${tag} 2>/dev/null; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}
