import { OUTPUT_LIMIT_BYTES } from '../../domain/trial/limits.js';
import { ordinary } from '../../git/git.js';
import { restore } from './restore.js';
import { isConclusive, runTest } from './shell.js';
import { outFile, type Abort, type Phase, type PhaseContext } from './state.js';
import type { ProgramSpec, TestRun } from '../../domain/trial/program-contract.js';

/** The bug must be there: the suite runs and the task's test fails before the agent has done anything. */
export const before: Phase = async ({ spec }: PhaseContext) => {
  const test = await runTest(spec, {
    cwd: spec.checkoutDir,
    outputFile: outFile(spec, 'before'),
  });
  const found = { before: test };
  const abort = faultOf(spec, test);
  if (abort !== null) return { found, abort };
  // The diff must show the agent's work alone.
  await restore(ordinary(spec.checkoutDir));
  return { found };
};

function faultOf(spec: ProgramSpec, test: TestRun): Abort | null {
  if (!isConclusive(test)) {
    return { reason: 'suite_did_not_run', detail: whyInconclusive(spec, test) };
  }
  if (test.exit === 0) {
    return {
      reason: 'bug_did_not_reproduce',
      detail: `${spec.testFile} passes without any change`,
    };
  }
  return null;
}

function whyInconclusive(spec: ProgramSpec, test: TestRun): string {
  if (test.timedOut) return `the test did not end within ${spec.testTimeoutMs / 1000} s`;
  if (test.outputLimited === true) {
    return `the test wrote more than ${OUTPUT_LIMIT_BYTES / 1024 ** 2} MiB`;
  }
  return `the output of the test does not match /${spec.suiteRanPattern}/${spec.suiteRanFlags}`;
}
