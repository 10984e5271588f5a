import { existsSync, statSync } from 'node:fs';
import type { ProgramResult, ProgramSpec, TestRun } from '../../domain/trial/program-contract.js';
import { git, ordinary, tryGit } from '../../git/git.js';
import { writeFresh } from './fresh-file.js';
import { withFreshHome } from './fresh-home.js';
import { startServices } from './prepare.js';
import { restore } from './restore.js';
import { isConclusive, runShell, runTest } from './shell.js';
import { outFile, type Phase, type PhaseContext } from './state.js';

type Grade = NonNullable<ProgramResult['grade']>;

/**
 * Runs the pristine test on the untouched copy plus the agent's diff.
 *
 * A suite that ran to its end decides: the test passes and was not edited, or the agent failed. A suite that
 * did not run says nothing by itself: the agent may have broken it (a syntax error, an endless loop, a
 * migration that fails), or the machine may (no disk, a database that is down). So the same test runs once
 * more without the agent's change. It ran before the agent started, so if it runs there now, the change is
 * what stops it, and that is a failure of the agent; if it does not, nobody can say: ungraded.
 */
export const grade: Phase = async ({ spec, result }: PhaseContext) => {
  const repository = ordinary(spec.gradeDir);
  const afterFile = outFile(spec, 'after');
  const failure = await startServices(withFreshHome(spec), outFile(spec, 'prepare'));
  if (failure !== null) {
    writeFresh(afterFile, `${failure}\n`);
    return { found: { after: null, grade: 'ungraded' } };
  }
  await restore(repository);
  const problem = await applyAgentDiff(spec);
  if (problem !== null) {
    writeFresh(afterFile, `${problem}\n`);
    return { found: { after: null, grade: 'ungraded' } };
  }
  const wasEdited = await restoreTest(spec, result.changes?.testFileEdited !== false);
  const after = await prepareAndTest(spec, afterFile);
  const isClear = after !== null && isConclusive(after);
  if (isClear) return { found: { after, grade: verdict(after, wasEdited) } };
  await restore(repository);
  const pristine = await prepareAndTest(spec, outFile(spec, 'pristine'));
  const runsWithout = pristine !== null && isConclusive(pristine);
  return { found: { after, grade: runsWithout ? 'failed' : 'ungraded' } };
};

function verdict(after: TestRun, wasEdited: boolean): Grade {
  return after.exit === 0 && !wasEdited ? 'passed' : 'failed';
}

/** @returns what is wrong when the diff could not be applied, else null */
async function applyAgentDiff(spec: ProgramSpec): Promise<string | null> {
  const repository = ordinary(spec.gradeDir);
  const diff = outFile(spec, 'diff');
  if (!existsSync(diff)) return 'there is no agent.diff to grade';
  if (statSync(diff).size > 0) {
    const applied = await tryGit(repository, ['apply', '--binary', '--whitespace=nowarn', diff]);
    if (applied.exit !== 0) return `agent.diff does not apply: ${applied.stderr.trim()}`;
  }
  return null;
}

/**
 * The test as it was before the agent, whatever the diff made of it.
 * @returns whether it was another: the diff itself is asked too, not only who collected it
 */
async function restoreTest(spec: ProgramSpec, isSaidEdited: boolean): Promise<boolean> {
  const repository = ordinary(spec.gradeDir);
  const compared = await tryGit(repository, ['diff', '--quiet', 'HEAD', '--', spec.testFile]);
  const wasEdited = isSaidEdited || compared.exit !== 0;
  if (wasEdited) await git(repository, ['checkout', '-q', '-f', 'HEAD', '--', spec.testFile]);
  return wasEdited;
}

/** Null when db_prepare failed: then the test has nothing to run on. */
async function prepareAndTest(given: ProgramSpec, outputFile: string): Promise<TestRun | null> {
  const spec = withFreshHome(given);
  if (spec.dbPrepare !== null) {
    const prepared = await runShell(spec, {
      script: spec.dbPrepare,
      cwd: spec.gradeDir,
      outputFile: outFile(spec, 'prepare'),
      append: true,
    });
    if (prepared.exit !== 0) {
      writeFresh(outputFile, 'db_prepare failed; read db_prepare.txt\n');
      return null;
    }
  }
  return runTest(spec, { cwd: spec.gradeDir, outputFile });
}
