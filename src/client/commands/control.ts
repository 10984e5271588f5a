import { Command } from 'commander';
import type { CliContext } from '../context.js';
import type { ControlVerb } from '../grid/control.js';

interface ControlFlags {
  readonly address?: string;
  readonly json?: boolean;
}

const DESCRIPTIONS: Readonly<Record<ControlVerb, string>> = {
  pause: 'hold a grid once the trial that runs now has ended',
  resume: 'let a paused grid go on',
  cancel: 'end a grid; the trial that runs now is stopped and is no result',
};

export function controlCommands(cli: CliContext): readonly Command[] {
  const verbs: readonly ControlVerb[] = ['pause', 'resume', 'cancel'];
  return [...verbs.map((verb) => controlCommand(cli, verb)), skipCommand(cli)];
}

function controlCommand(cli: CliContext, verb: ControlVerb): Command {
  const command = new Command(verb)
    .description(DESCRIPTIONS[verb])
    .addHelpText(
      'before',
      `Examples:
  llmx-client ${verb}                                       the running grid of this experiment
  llmx-client ${verb} llmx-grid-todo-1a2b3c4d-5e6f7a8b
`,
    )
    .argument('[workflow]', 'id of the grid; default: the running grid of this experiment');
  return common(command).action(async (workflow: string | undefined, flags: ControlFlags) => {
    const { runControl } = await import('../grid/control.js');
    await runControl(cli, { verb, args: [] }, { workflow: workflow ?? null, ...flags });
  });
}

function skipCommand(cli: CliContext): Command {
  const command = new Command('skip')
    .description('leave a cell out of the running grid; if it runs now, its trial is stopped')
    .addHelpText(
      'before',
      `Examples:
  llmx-client skip 7                         the seventh cell of the plan
  llmx-client skip t1/oracle/plain
  llmx-client skip t1/oracle/plain#2         its second repeat
`,
    )
    .argument('<cell>', 'number or task/agent/condition[#repeat], as `plan` shows it')
    .option('--grid <workflow>', 'id of the grid; default: the running grid of this experiment');
  return common(command).action(
    async (cell: string, flags: ControlFlags & { readonly grid?: string }) => {
      const { runSkip } = await import('../grid/control.js');
      await runSkip(cli, cell, { workflow: flags.grid ?? null, ...flags });
    },
  );
}

function common(command: Command): Command {
  return command
    .option('--address <host:port>', 'Temporal server to use (env TEMPORAL_ADDRESS)')
    .option('--json', 'print one JSON value');
}
