import { NO_FILTERS } from '../domain/plan/cell.js';
import { pendingCells } from '../domain/plan/progress.js';
import { verdictOf, type Check } from '../domain/preflight/check.js';
import { LlmxError } from '../errors/llmx-error.js';
import type { CheckSubject } from '../preflight/context.js';
import { runChecks } from '../preflight/run-checks.js';
import { promptPath, readCheckouts, solutionPath } from '../storage/experiment-folder.js';
import { loadPlan } from '../storage/plan-status.js';
import { stateLayout } from '../storage/state-layout.js';
import { stateDir } from '../support/paths.js';
import { workerStatus } from '../temporal/background-worker.js';
import { describeTemporal } from '../temporal/describe-temporal.js';
import type { CliContext } from './context.js';
import { EXIT } from './exit-codes.js';
import { ExitRequest } from './exit-request.js';
import { openExperiment } from './grid/prepare.js';
import { checksText } from './output/checks.js';
import { note, printJson, printLine } from './output/print.js';

/** All checks of this host and, inside an experiment, of what it would run. Nothing is started. */
export async function runDoctor(
  cli: CliContext,
  flags: { readonly address?: string; readonly json?: boolean },
): Promise<void> {
  const layout = stateLayout(stateDir(cli.env));
  const subject = await readSubject(cli);
  const [temporal, worker, found] = await Promise.all([
    describeTemporal({
      state: layout,
      env: cli.env,
      ...(flags.address === undefined ? {} : { address: flags.address }),
    }),
    workerStatus(layout),
    runChecks({ env: cli.env, stateDir: layout.root, subject }),
  ]);
  const checks: readonly Check[] = [
    {
      code: 'temporal',
      name: 'Temporal',
      status: temporal.ok ? 'ok' : 'fail',
      detail: temporal.detail,
      hint: temporal.hint,
    },
    {
      code: 'worker',
      name: 'worker',
      status: 'ok',
      detail: worker.running ? `running (pid ${worker.pid ?? '?'})` : 'started on demand',
      hint: null,
    },
    ...found,
  ];
  const verdict = verdictOf(checks);
  if (flags.json === true) printJson(cli, 'doctor', { checks, verdict });
  else {
    printLine(cli, checksText(checks, verdict, cli.stdoutIsTty));
    if (subject === null) note(cli, 'no experiment.yml here: only the host was checked');
  }
  if (verdict === 'RED') throw new ExitRequest(EXIT.red);
}

async function readSubject(cli: CliContext): Promise<CheckSubject | null> {
  let open;
  try {
    open = await openExperiment(cli);
  } catch (error) {
    if (error instanceof LlmxError && error.code === 'experiment_not_found') return null;
    throw error;
  }
  const { dir, experiment } = open;
  return {
    experiment,
    folder: dir,
    cells: pendingCells(await loadPlan(dir, experiment, NO_FILTERS), false),
    checkouts: await readCheckouts(dir, experiment, cli.env),
    promptFile: (task, condition) => promptPath(dir, experiment, task, condition),
    solutionFile: (task) => solutionPath(dir, experiment, task),
  };
}
