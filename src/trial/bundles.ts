import { fileURLToPath } from 'node:url';

/** Runs inside the sandbox; one file without dependencies, made by the build. */
export const PROGRAM_FILE = bundled('program.mjs');
/** Owns one trial on the host; made by the build too. */
export const SUPERVISOR_FILE = bundled('supervisor.cjs');

function bundled(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
