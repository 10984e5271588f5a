import { Command } from 'commander';
import type { CliContext } from '../context.js';
import type { StartGridFlags } from '../grid/start.js';
import { addFilterOptions, filtersFrom } from '../filters.js';

export function startGridCommand(cli: CliContext): Command {
  const command = new Command('start-grid')
    .description('start the grid of this experiment, or attach to the one that runs')
    .addHelpText(
      'before',
      `Examples:
  llmx-client start-grid                     start, show the verdict, return
  llmx-client start-grid --wait              follow to the end; Ctrl-C detaches
  llmx-client start-grid --task t1 --agent oracle
  llmx-client start-grid --wait --approve-yellow "known: no prompts for t2 yet"
`,
    );
  return addFilterOptions(command)
    .option('--redo-done', 'run cells again that have their result')
    .option('--dry-run', 'show order and count, start nothing')
    .option('--wait', 'follow the grid to its end')
    .option('--approve-yellow [reason]', 'let a YELLOW preflight run; the reason is recorded')
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value')
    .action(async (flags: StartGridFlags) => {
      const { runStartGrid } = await import('../grid/start.js');
      await runStartGrid(cli, flags, filtersFrom(flags));
    });
}
