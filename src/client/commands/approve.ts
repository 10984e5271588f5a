import { Command } from 'commander';
import type { CliContext } from '../context.js';
import type { AnswerFlags } from '../grid/answer.js';

export function approveCommand(cli: CliContext): Command {
  return answerCommand(cli, 'approve', 'let a grid run whose preflight is YELLOW');
}

export function rejectCommand(cli: CliContext): Command {
  return answerCommand(cli, 'reject', 'stop a grid whose preflight is YELLOW');
}

function answerCommand(cli: CliContext, verb: 'approve' | 'reject', description: string): Command {
  return new Command(verb)
    .description(description)
    .addHelpText(
      'before',
      `Examples:
  llmx-client ${verb} llmx-grid-todo-1a2b3c4d-5e6f7a8b --reason "checked with Ana"
`,
    )
    .argument('<workflow>', 'id of the grid or of its preflight')
    .option('--reason <text>', 'kept in the history of the grid')
    .option('--hash <hash>', 'answer only if the checks still have this hash')
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value')
    .action(async (workflow: string, flags: AnswerFlags) => {
      const { runAnswer } = await import('../grid/answer.js');
      await runAnswer(cli, verb, workflow, flags);
    });
}
