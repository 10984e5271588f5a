import { Command } from 'commander';
import type { StateLayout } from '../../storage/state-layout.js';
import type { ServerStatus } from '../../temporal/embedded-server.js';
import type { CliContext } from '../context.js';
import { note, printJson, printLine } from '../output/print.js';

interface ServerFlags {
  readonly json?: boolean;
}

const EXAMPLES = `Examples:
  llmx-client server status       is it running, and where is the Web UI
  llmx-client server start        start it now (other commands do so by themselves)
  llmx-client server stop         stop it; histories stay on disk
`;

export function serverCommand(cli: CliContext): Command {
  const command = new Command('server')
    .description('the embedded Temporal server of this user')
    .addHelpText('beforeAll', EXAMPLES);
  command
    .command('start')
    .description('start it if it does not run')
    .option('--json', 'print one JSON value')
    .action((flags: ServerFlags) => runStart(cli, flags));
  command
    .command('stop')
    .description('stop it; it starts again when it is needed')
    .option('--json', 'print one JSON value')
    .action((flags: ServerFlags) => runStop(cli, flags));
  command
    .command('status')
    .description('whether it runs, its address and Web UI')
    .option('--json', 'print one JSON value')
    .action((flags: ServerFlags) => runStatus(cli, flags));
  return command;
}

async function runStart(cli: CliContext, flags: ServerFlags): Promise<void> {
  const { ensureServer } = await import('../../temporal/embedded-server.js');
  const state = await layoutOf(cli);
  const { started } = await ensureServer({
    state,
    env: cli.env,
    note: (text) => {
      note(cli, text);
    },
  });
  await print(cli, state, flags, { started }, started ? 'started' : 'was running already');
}

async function runStop(cli: CliContext, flags: ServerFlags): Promise<void> {
  const { stopServer } = await import('../../temporal/embedded-server.js');
  const state = await layoutOf(cli);
  const stopped = await stopServer(state);
  await print(cli, state, flags, { stopped }, stopped ? 'stopped' : 'was not running');
}

async function runStatus(cli: CliContext, flags: ServerFlags): Promise<void> {
  await print(cli, await layoutOf(cli), flags, {}, null);
}

async function print(
  cli: CliContext,
  state: StateLayout,
  flags: ServerFlags,
  extra: object,
  outcome: string | null,
): Promise<void> {
  const { serverStatus } = await import('../../temporal/embedded-server.js');
  const status = await serverStatus(state);
  if (flags.json === true) {
    printJson(cli, 'server', { ...status, ...extra });
    return;
  }
  printLine(cli, `server ${outcome ?? (status.running ? 'runs' : 'does not run')}`);
  for (const line of details(status)) printLine(cli, line);
}

function details(status: ServerStatus): readonly string[] {
  if (!status.running) return [`data    ${status.dbFile}`, 'next: llmx-client server start'];
  return [
    `pid     ${status.pid}`,
    `address ${status.address}${status.serving ? '' : ' (does not answer)'}`,
    `web     ${status.uiUrl}`,
    `data    ${status.dbFile}`,
  ];
}

async function layoutOf(cli: CliContext): Promise<StateLayout> {
  const { stateLayout } = await import('../../storage/state-layout.js');
  const { stateDir } = await import('../../support/paths.js');
  return stateLayout(stateDir(cli.env));
}
