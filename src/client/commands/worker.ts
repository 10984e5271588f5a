import { Command } from 'commander';
import type { StateLayout } from '../../storage/state-layout.js';
import type { WorkerStatus } from '../../temporal/background-worker.js';
import type { CliContext } from '../context.js';
import { ExitRequest } from '../exit-request.js';
import { note, printJson, printLine } from '../output/print.js';

interface WorkerFlags {
  readonly address?: string;
  readonly json?: boolean;
}

const EXAMPLES = `Examples:
  llmx-client worker status       is the worker of this host running
  llmx-client worker run          run it in this terminal, with its log
  llmx-client worker stop         stop it; a running trial goes on without it
`;

const ADDRESS = ['--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)'] as const;
const JSON_FLAG = ['--json', 'print one JSON value'] as const;

export function workerCommand(cli: CliContext): Command {
  const command = new Command('worker')
    .description('the worker that runs trials on this host')
    .addHelpText('beforeAll', EXAMPLES);
  command
    .command('start')
    .description('start it in the background if it does not run')
    .option(...ADDRESS)
    .option(...JSON_FLAG)
    .action((flags: WorkerFlags) => runStart(cli, flags));
  command
    .command('stop')
    .description('stop it; it starts again when it is needed')
    .option(...JSON_FLAG)
    .action((flags: WorkerFlags) => runStop(cli, flags));
  command
    .command('status')
    .description('whether it runs, and what it polls')
    .option(...JSON_FLAG)
    .action((flags: WorkerFlags) => runStatus(cli, flags));
  command
    .command('run')
    .description('run it in this terminal until Ctrl-C')
    .option(...ADDRESS)
    .action((flags: WorkerFlags) => runForeground(cli, flags));
  return command;
}

async function runStart(cli: CliContext, flags: WorkerFlags): Promise<void> {
  const { ensureServices } = await import('../../temporal/ensure-services.js');
  const { ENGINE_VERSION } = await import('../../support/version.js');
  const state = await layoutOf(cli);
  const { worker } = await ensureServices({
    state,
    env: cli.env,
    note: (text) => {
      note(cli, text);
    },
    version: ENGINE_VERSION,
    address: flags.address,
  });
  const { started } = worker;
  await print(cli, state, flags, { started }, started ? 'started' : 'was running already');
}

async function runStop(cli: CliContext, flags: WorkerFlags): Promise<void> {
  const { stopWorker } = await import('../../temporal/background-worker.js');
  const { liveTrials } = await import('../../trial/live-trials.js');
  const state = await layoutOf(cli);
  const stopped = await stopWorker(state);
  for (const { label } of await liveTrials(state)) {
    note(cli, `the trial ${label} goes on by itself; its result is collected by the next worker`);
  }
  await print(cli, state, flags, { stopped }, stopped ? 'stopped' : 'was not running');
}

async function runStatus(cli: CliContext, flags: WorkerFlags): Promise<void> {
  await print(cli, await layoutOf(cli), flags, {}, null);
}

async function runForeground(cli: CliContext, flags: WorkerFlags): Promise<void> {
  const { ensureAnyServer } = await import('../../temporal/ensure-services.js');
  const { runWorkerHere } = await import('../../temporal/background-worker.js');
  const { ENGINE_VERSION } = await import('../../support/version.js');
  const { address } = flags;
  const host = {
    state: await layoutOf(cli),
    env: cli.env,
    note: (text: string) => {
      note(cli, text);
    },
  };
  const server = await ensureAnyServer({ ...host, address });
  const exitCode = await runWorkerHere({
    ...host,
    version: ENGINE_VERSION,
    address: server.address,
    namespace: server.namespace,
    flagAddress: address,
  });
  if (exitCode !== 0) throw new ExitRequest(exitCode);
}

async function print(
  cli: CliContext,
  state: StateLayout,
  flags: WorkerFlags,
  extra: object,
  outcome: string | null,
): Promise<void> {
  const { workerStatus } = await import('../../temporal/background-worker.js');
  const status = await workerStatus(state);
  if (flags.json === true) {
    printJson(cli, 'worker', { ...status, ...extra });
    return;
  }
  printLine(cli, `worker ${outcome ?? (status.running ? 'runs' : 'does not run')}`);
  for (const line of details(status)) printLine(cli, line);
}

function details(status: WorkerStatus): readonly string[] {
  if (!status.running) return ['next: llmx-client worker start'];
  return [
    `pid     ${status.pid}${status.ready ? '' : ' (does not poll yet)'}`,
    `version ${status.version}`,
    `host    ${status.hostId}`,
    `queues  ${status.taskQueues.join(', ')}`,
  ];
}

async function layoutOf(cli: CliContext): Promise<StateLayout> {
  const { stateLayout } = await import('../../storage/state-layout.js');
  const { stateDir } = await import('../../support/paths.js');
  return stateLayout(stateDir(cli.env));
}
