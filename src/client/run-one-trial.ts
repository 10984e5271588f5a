import { readFile } from 'node:fs/promises';
import { planCredentials } from '../agents/credential-plan.js';
import { adapterOf } from '../agents/registry.js';
import type { RunTrialResult } from '../domain/grid/contracts.js';
import { outcomeOf } from '../domain/grid/counters.js';
import { cellLabel, type PlannedCell } from '../domain/plan/cell.js';
import { stampOf } from '../domain/trial/stamp.js';
import { verdictOf } from '../domain/preflight/check.js';
import { LlmxError } from '../errors/llmx-error.js';
import { runChecks } from '../preflight/run-checks.js';
import { baseEnv } from '../runtimes/base-env.js';
import { chooseRuntime, isContained } from '../runtimes/registry.js';
import { promptPath, readCheckouts, solutionPath } from '../storage/experiment-folder.js';
import { loadPlan } from '../storage/plan-status.js';
import { isErrno } from '../support/atomic-file.js';
import { ownIdentity } from '../support/process-identity.js';
import { ENGINE_VERSION } from '../support/version.js';
import { PROGRAM_FILE, SUPERVISOR_FILE } from '../trial/bundles.js';
import { createTrialService } from '../trial/trial-service.js';
import type { CliContext } from './context.js';
import { EXIT } from './exit-codes.js';
import { ExitRequest } from './exit-request.js';
import { openExperiment, prepareGrid, type OpenExperiment } from './grid/prepare.js';
import { redError } from './grid/red-error.js';
import { note, printJson, printLine } from './output/print.js';

export interface RunTrialFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Place {
  readonly task: string;
  readonly agent: string;
  readonly condition: string;
}

/** One trial without a grid and without a server: the supervisor and the host lock are the same. */
export async function runOneTrial(
  cli: CliContext,
  place: Place,
  flags: RunTrialFlags,
): Promise<void> {
  const open = await openExperiment(cli);
  const cell = await plannedCell(open, place);
  if (flags.dryRun === true) {
    await printLaunch(cli, open, cell, flags.json === true);
    return;
  }
  await assertNotRed(cli, open, cell);
  const { input } = await prepareGrid(cli, open, {
    filters: { app: null, agents: [cell.agent], task: cell.task },
    redoDone: true,
    preApproval: null,
    useSearchAttributes: false,
  });
  const self = ownIdentity();
  const trials = createTrialService({
    state: open.layout,
    programFile: PROGRAM_FILE,
    supervisorFile: SUPERVISOR_FILE,
    engineVersion: ENGINE_VERSION,
  });
  let phase = '';
  const result = await trials.run(
    {
      plan: input.plan,
      cell,
      stamp: stampOf(new Date().toISOString()),
      // Names this very call; a later one is another request.
      requestId: `run-trial/${self.bootId}/${self.pid}/${self.startTime}`,
      redoDone: true,
      workflowId: null,
      runId: null,
    },
    {
      onProgress: (now) => {
        if (now !== phase) note(cli, now);
        phase = now;
      },
    },
  );
  printResult(cli, cell, result, flags.json === true);
}

async function plannedCell(open: OpenExperiment, place: Place): Promise<PlannedCell> {
  const filters = { app: null, agents: [place.agent], task: place.task };
  const cells = await loadPlan(open.dir, open.experiment, filters);
  const cell = cells.find(({ condition }) => condition === place.condition);
  if (cell !== undefined) return { ...cell, repeat: 1 };
  throw new LlmxError('usage', {
    problem: `unknown condition ${place.condition} (experiment.yml declares ${open.experiment.conditions.join(', ')})`,
    hint: 'llmx-client plan',
  });
}

async function assertNotRed(
  cli: CliContext,
  open: OpenExperiment,
  cell: PlannedCell,
): Promise<void> {
  const { dir, experiment } = open;
  const checks = await runChecks({
    env: cli.env,
    stateDir: open.layout.root,
    subject: {
      experiment,
      folder: dir,
      cells: [cell],
      checkouts: await readCheckouts(dir, experiment, cli.env),
      promptFile: (task, condition) => promptPath(dir, experiment, task, condition),
      solutionFile: (task) => solutionPath(dir, experiment, task),
    },
  });
  if (verdictOf(checks) === 'RED') throw redError(cli, checks);
}

/** The proxy that adds the key is there while a trial runs. */
const SHOWN_API = { baseUrl: 'http://127.0.0.1:<port>', key: '<token>' };

/** What would be started, as seen inside the sandbox, and the prompt it would get. */
async function printLaunch(
  cli: CliContext,
  open: OpenExperiment,
  cell: PlannedCell,
  json: boolean,
): Promise<void> {
  const { dir, experiment } = open;
  const agent = experiment.agents.find(({ name }) => name === cell.agent);
  if (agent === undefined) throw new LlmxError('unexpected', { reason: 'the agent is gone' });
  const promptFile = promptPath(dir, experiment, cell.task, cell.condition);
  const prompt = await readFile(promptFile, 'utf8').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) throw new LlmxError('prompt_missing', { file: promptFile });
    throw error;
  });
  const access = await planCredentials(agent, cli.env, Date.now());
  const { launch } = adapterOf(agent).launch({
    agent,
    experimentDir: dir,
    promptFile,
    solutionFile: solutionPath(dir, experiment, cell.task),
    inputsDir: '<inputs>',
    checkoutDir: '<checkout>',
    model: access.status === 'key' ? { provider: access.key.api.provider, ...SHOWN_API } : null,
    hasWeb: experiment.network === 'open',
    isContained: isContained(await chooseRuntime(experiment)),
    env: baseEnv(cli.env),
  });
  if (json) {
    printJson(cli, 'trialDryRun', { ...cell, argv: launch.argv, prompt });
    return;
  }
  printLine(cli, `cell:    ${cellLabel(cell)}`);
  printLine(
    cli,
    `command: ${launch.argv === null ? '(nothing is started)' : launch.argv.map(quote).join(' ')}`,
  );
  printLine(cli, `stdin:   ${launch.stdinFile === null ? '(empty)' : 'the prompt'}`);
  printLine(cli, `prompt:\n${prompt}`);
}

function printResult(
  cli: CliContext,
  cell: PlannedCell,
  result: RunTrialResult,
  json: boolean,
): void {
  const { task, agent, condition } = cell;
  if (json) printJson(cli, 'trialResult', { task, agent, condition, ...result });
  else {
    printLine(cli, `${cellLabel(cell)}: ${outcomeOf(result)}`);
    if (result.error !== null) printLine(cli, `${result.code ?? ''}: ${result.error}`);
    if (result.stamp !== null) {
      printLine(cli, `attempt: results-raw/${task}/${agent}/${condition}/${result.stamp}`);
    }
    if (result.hint !== null) printLine(cli, `next: ${result.hint}`);
  }
  if (result.status !== 'valid') throw new ExitRequest(EXIT.incomplete);
}

function quote(word: string): string {
  return /^[\w@%+=:,./<>-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
