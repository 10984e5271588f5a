import { Command } from 'commander';
import type { CleanFlags } from '../clean/flags.js';
import type { CliContext } from '../context.js';

const EXAMPLES = `Examples:
  llmx-client clean                        what is on disk; deletes nothing
  llmx-client clean --leftovers            what dead trials left; asks before it deletes
  llmx-client clean --images --builder --yes
`;

export function cleanCommand(cli: CliContext): Command {
  return new Command('clean')
    .description('report images, build cache and leftovers on disk; remove them when told to')
    .addHelpText('before', EXAMPLES)
    .option('--builder', 'remove the build cache of the container engines')
    .option('--images', 'remove the images that llmx built and nothing running uses')
    .option('--leftovers', 'remove what dead trials and interrupted builds left')
    .option('--yes', 'remove without asking')
    .option('--address <host:port>', 'Temporal server to ask for running grids')
    .option('--json', 'print one JSON value')
    .action(async (flags: CleanFlags) => {
      const { runClean } = await import('../clean/run-clean.js');
      await runClean(cli, flags);
    });
}
