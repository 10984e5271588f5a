import { Command } from 'commander';
import { ENGINE_VERSION } from '../support/version.js';
import { approveCommand, rejectCommand } from './commands/approve.js';
import { buildCommand } from './commands/build.js';
import { doctorCommand } from './commands/doctor.js';
import { initCommand } from './commands/init.js';
import { cleanCommand } from './commands/clean.js';
import { controlCommands } from './commands/control.js';
import { loginCommand } from './commands/login.js';
import { planCommand } from './commands/plan.js';
import { reportCommand } from './commands/report.js';
import { runTrialCommand } from './commands/run-trial.js';
import { serverCommand } from './commands/server.js';
import { startGridCommand } from './commands/start-grid.js';
import { statusCommand } from './commands/status.js';
import { workerCommand } from './commands/worker.js';
import type { CliContext } from './context.js';
import { typed } from './output/typed.js';

const EXAMPLES = `Examples:
  llmx-client init my-experiment      make an experiment that runs as it is
  llmx-client doctor                  what is missing here, and what to type next
  llmx-client start-grid --wait       run every pending cell and wait for the result
  llmx-client status                  what is done, what runs, what waits for you
`;

/** The whole command tree. Commands load what they need only when they run. */
export function buildProgram(cli: CliContext): Command {
  const program = new Command('llmx-client')
    .description('Durable experiments with coding agents')
    .version(ENGINE_VERSION, '-V, --version')
    .addHelpText('before', EXAMPLES);
  const commands = [
    initCommand(cli),
    planCommand(cli),
    doctorCommand(cli),
    buildCommand(cli),
    loginCommand(cli),
    cleanCommand(cli),
    startGridCommand(cli),
    statusCommand(cli),
    approveCommand(cli),
    rejectCommand(cli),
    ...controlCommands(cli),
    runTrialCommand(cli),
    reportCommand(cli),
    serverCommand(cli),
    workerCommand(cli),
  ];
  for (const command of commands) program.addCommand(command);
  prepare(program, cli);
  return program;
}

/** Settings that commander does not hand down to commands which were made on their own. */
function prepare(command: Command, cli: CliContext): void {
  command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(typed(cli, text)),
      // Errors are rendered in one place, see main.ts.
      writeErr: () => undefined,
    });
  for (const nested of command.commands) prepare(nested, cli);
}
