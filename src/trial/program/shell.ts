import { closeSync, constants, openSync } from 'node:fs';
import { OUTPUT_LIMIT_BYTES } from '../../domain/trial/limits.js';
import type { ProgramSpec, TestRun } from '../../domain/trial/program-contract.js';
import { runInGroup, trimOutput, type GroupEnd } from '../../runtimes/run-in-group.js';
import { sacrificed } from './in-container.js';
import { openFresh } from './fresh-file.js';
import { outputMatches } from './output-matches.js';

export interface ShellRun {
  readonly script: string;
  readonly cwd: string;
  readonly outputFile: string;
  /** @defaultValue false */
  readonly append?: boolean;
}

const { O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK, O_NOFOLLOW } = constants;
/** An agent may have left a link or a named pipe in the place of a file that is gone on with. */
const APPEND = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW;

/**
 * One command of the experiment. No login shell: its environment is given in full, and a profile would
 * replace the PATH that was checked before.
 */
export async function runShell(spec: ProgramSpec, run: ShellRun): Promise<GroupEnd> {
  if (run.append !== true) closeSync(openFresh(run.outputFile));
  // Both streams append to one file, so that they can't overwrite each other.
  const fd = openSync(run.outputFile, APPEND);
  const output = { stdoutFd: fd, stderrFd: fd, outputLimitBytes: OUTPUT_LIMIT_BYTES };
  try {
    const end = await runInGroup({
      argv: sacrificed(spec, ['bash', '-c', run.script]),
      env: spec.env,
      cwd: run.cwd,
      stdinFile: null,
      ...output,
      timeoutMs: spec.testTimeoutMs,
      killGraceMs: spec.killGraceMs,
    });
    trimOutput(output);
    if (end.notStarted !== null) throw new Error(end.notStarted);
    return end;
  } finally {
    closeSync(fd);
  }
}

export async function runTest(
  spec: ProgramSpec,
  run: { readonly cwd: string; readonly outputFile: string },
): Promise<TestRun> {
  const script = `${spec.testCommand} ${shellQuote(spec.testFile)}`;
  const { exit, signal, timedOut, outputLimited, seconds } = await runShell(spec, {
    ...run,
    script,
  });
  const suiteRan = outputMatches(run.outputFile, spec.suiteRanPattern, spec.suiteRanFlags);
  const limits = outputLimited ? { timedOut, outputLimited } : { timedOut };
  return { exit, signal, ...limits, seconds, suiteRan };
}

/** True when the run says something about the code: the suite ran, and to its end. */
export function isConclusive(test: TestRun): boolean {
  return test.suiteRan && !test.timedOut && test.outputLimited !== true;
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
