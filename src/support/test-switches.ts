import { readFileSync, unlinkSync } from 'node:fs';

/**
 * Switches for the chaos suite, off unless their variable is set. They break or end this process on
 * purpose, to show that the suite notices and that nothing is lost.
 */

/** File that names the next point at which a process is to die, as if by kill -9. */
const CRASH_FILE = 'LLMX_TEST_CRASH_FILE';
/** Makes attach-or-start forget every claim: trials then run twice, and the suite must fail. */
const BREAK_CLAIM = 'LLMX_TEST_BREAK_CLAIM';

/** Ends this process here if the crash file names this point; the file is used up by it. */
export function crashPoint(name: string): void {
  const file = process.env[CRASH_FILE];
  if (file === undefined) return;
  try {
    if (readFileSync(file, 'utf8').trim() !== name) return;
    unlinkSync(file);
  } catch {
    return; // no crash is wanted now, or another process has just taken it
  }
  process.kill(process.pid, 'SIGKILL');
}

export function isClaimBroken(): boolean {
  return process.env[BREAK_CLAIM] === '1';
}

/** The switches that are on, for a process that is started with an environment of its own. */
export function testSwitches(env: NodeJS.ProcessEnv): Record<string, string> {
  const crashFile = env[CRASH_FILE];
  return crashFile === undefined ? {} : { [CRASH_FILE]: crashFile };
}
