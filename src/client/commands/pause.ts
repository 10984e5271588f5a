import { Command } from 'commander';
import type { CliContext } from '../context.js';

export function pauseCommand(cli: CliContext): Command {
  return signalCommand(cli, 'pause', 'hold a grid after the trial that runs now');
}

export function resumeCommand(cli: CliContext): Command {
  return signalCommand(cli, 'resume', 'let a paused grid go on');
}

function signalCommand(cli: CliContext, verb: 'pause' | 'resume', description: string): Command {
  return new Command(verb)
    .description(description)
    .addHelpText('before', `Examples:\n  llmx-client ${verb} llmx-grid-todo-1a2b3c4d-5e6f7a8b\n`)
    .argument('<workflow>', 'id of the grid')
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value')
    .action(async (workflow: string, flags: { address?: string; json?: boolean }) => {
      const { runControl } = await import('../grid/control.js');
      await runControl(cli, verb, workflow, flags);
    });
}
