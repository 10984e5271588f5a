import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';

export interface BuildFlags {
  readonly runtime?: string;
  readonly cache: boolean;
  readonly json?: boolean;
}

export interface BaseFlags extends BuildFlags {
  readonly from?: string;
  readonly fromHost?: boolean;
  readonly agents?: string;
  readonly caFile?: string;
}

const BASE_EXAMPLES = `Examples:
  llmx-client build base                          what the experiment here needs; all agents outside one
  llmx-client build base --from-host              of this machine's own programs, without any registry
  llmx-client build base --from debian:bookworm-slim --agents claude,codex
`;

const APP_EXAMPLES = `Examples:
  llmx-client build app ledger                    the app as its branches are now
  llmx-client build app ledger --no-cache         also when nothing has changed
`;

export function buildCommand(cli: CliContext): Command {
  return new Command('build')
    .description('build the images that container trials start from')
    .addHelpText('before', `${BASE_EXAMPLES}${APP_EXAMPLES.replace('Examples:\n', '')}`)
    .addCommand(baseCommand(cli))
    .addCommand(appCommand(cli));
}

function baseCommand(cli: CliContext): Command {
  const command = new Command('base')
    .description('build the base image: toolchains, agents, the agent user')
    .addHelpText('before', BASE_EXAMPLES)
    .addOption(new Option('--from <image>', 'image it starts from, a Debian').conflicts('fromHost'))
    .option('--from-host', "pack this machine's own programs; needs no registry")
    .option('--agents <list>', 'agent CLIs to install: claude, codex, opencode or none')
    .option(
      '--ca-file <file>',
      'certificates that this network needs, for the build and the trials',
    );
  return withCommonOptions(command).action(async (flags: BaseFlags) => {
    const { buildBase } = await import('../build/build-base.js');
    await buildBase(cli, flags);
  });
}

function appCommand(cli: CliContext): Command {
  const command = new Command('app')
    .description('build the image of one app: its tasks, its dependencies, its database')
    .addHelpText('before', APP_EXAMPLES)
    .argument('<key>', 'app of experiment.yml');
  return withCommonOptions(command).action(async (key: string, flags: BuildFlags) => {
    const { buildApp } = await import('../build/build-app.js');
    await buildApp(cli, key, flags);
  });
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--runtime <kind>', 'container engine (default: the experiment’s, else the first here)')
    .option('--no-cache', 'build also what is up to date')
    .option('--json', 'print one JSON value');
}
