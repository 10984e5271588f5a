import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';

/**
 * Switches for the chaos suite, off unless their variable is set. They break or end this process on
 * purpose, to show that the suite notices and that nothing is lost.
 */

/** File that names the points at which a process is to die, as if by kill -9: one a line, the next first. */
const CRASH_FILE = 'LLMX_TEST_CRASH_FILE';
/** Makes attach-or-start forget every claim: trials then run twice, and the suite must fail. */
const BREAK_CLAIM = 'LLMX_TEST_BREAK_CLAIM';

/** Ends this process here if the crash file names this point next; the file is used up line by line. */
export function crashPoint(name: string): void {
  const file = process.env[CRASH_FILE];
  if (file === undefined) return;
  const taken = `${file}.taken`;
  try {
    const [next, ...later] = readFileSync(file, 'utf8').trim().split('\n');
    if (next !== name) return;
    renameSync(file, taken); // fails for all but one of those that are here at once
    if (later.length > 0) writeFileSync(file, later.join('\n'));
    unlinkSync(taken);
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
