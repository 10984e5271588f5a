import { Command } from 'commander';
import type { CliContext } from '../context.js';
import type { RunTrialFlags } from '../run-one-trial.js';

export function runTrialCommand(cli: CliContext): Command {
  return new Command('run-trial')
    .description('run one trial now, whether or not its cell has a result')
    .addHelpText(
      'before',
      `Examples:
  llmx-client run-trial t1 oracle plain
  llmx-client run-trial t1 mine plain --dry-run    the exact command and prompt, nothing runs
`,
    )
    .argument('<task>')
    .argument('<agent>')
    .argument('<condition>')
    .option('--dry-run', 'show the exact command and prompt, start nothing')
    .option('--json', 'print one JSON value')
    .action(async (task: string, agent: string, condition: string, flags: RunTrialFlags) => {
      const { runOneTrial } = await import('../run-one-trial.js');
      await runOneTrial(cli, { task, agent, condition }, flags);
    });
}
