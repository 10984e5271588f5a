import { Command } from 'commander';
import type { CliContext } from '../context.js';
import type { StatusFlags } from '../grid/status.js';

export function statusCommand(cli: CliContext): Command {
  return new Command('status')
    .description('what is done, what runs, what waits for you')
    .addHelpText(
      'before',
      `Examples:
  llmx-client status              the running grid of this experiment, else the last one
  llmx-client status --json
  llmx-client status llmx-grid-todo-1a2b3c4d-5e6f7a8b
`,
    )
    .argument('[workflow]', 'id of a grid or its preflight')
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value')
    .action(async (workflow: string | undefined, flags: StatusFlags) => {
      const { runStatus } = await import('../grid/status.js');
      await runStatus(cli, workflow ?? null, flags);
    });
}
