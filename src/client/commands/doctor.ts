import { Command } from 'commander';
import type { CliContext } from '../context.js';

export function doctorCommand(cli: CliContext): Command {
  return new Command('doctor')
    .description('check this host and this experiment, with what to type next')
    .addHelpText('before', 'Examples:\n  llmx-client doctor\n  llmx-client doctor --json\n')
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value')
    .action(async (flags: { address?: string; json?: boolean }) => {
      const { runDoctor } = await import('../doctor.js');
      await runDoctor(cli, flags);
    });
}
