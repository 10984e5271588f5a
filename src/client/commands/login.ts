import { Command } from 'commander';
import type { CliContext } from '../context.js';

export interface LoginFlags {
  readonly verify?: boolean;
  readonly onHost?: boolean;
  readonly runtime?: string;
  readonly json?: boolean;
}

const EXAMPLES = `Examples:
  llmx-client login claude                 with the claude of the base image, else of this machine
  llmx-client login codex --on-host        with the codex on PATH
  llmx-client login claude --verify        what is stored, until when, and whether claude runs
`;

export function loginCommand(cli: CliContext): Command {
  return new Command('login')
    .description('log an agent in for its trials, or look at its login')
    .addHelpText('before', EXAMPLES)
    .argument('<agent>', 'claude, codex or opencode')
    .option('--verify', 'show what is stored and until when; asks nothing, changes nothing')
    .option('--on-host', "use this machine's own program, not the base image")
    .option(
      '--runtime <kind>',
      'container engine that has the base image (default: the first here)',
    )
    .option('--json', 'print one JSON value')
    .action(async (agent: string, flags: LoginFlags) => {
      const { runLogin } = await import('../login/run-login.js');
      await runLogin(cli, agent, flags);
    });
}
