import { CommanderError, type Command } from 'commander';
import { LlmxError } from '../errors/llmx-error.js';
import { processContext, type CliContext } from './context.js';
import { EXIT } from './exit-codes.js';
import { ExitRequest } from './exit-request.js';
import { renderError } from './output/error.js';
import { buildProgram } from './program.js';

/**
 * Runs one command line.
 * @returns the exit code; the caller sets it, so that output is flushed first
 */
export async function main(argv: readonly string[], given?: CliContext): Promise<number> {
  const json = argv.includes('--json');
  const cli = given ?? contextOrNull();
  if (cli === null) {
    const gone = { problem: 'the current folder is gone', hint: 'cd to a folder that exists' };
    return renderError(processContext('/'), new LlmxError('usage', gone), json);
  }
  cli.stdout.on('error', (error) => {
    outputFailed(cli, error);
  });
  cli.stderr.on('error', notesFailed);
  const program = buildProgram(cli);
  if (argv.length === 0) {
    cli.stderr.write(program.helpInformation());
    return EXIT.usage;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof ExitRequest) return error.exitCode;
    if (error instanceof CommanderError) return commanderEnd(cli, program, error, argv);
    return renderError(cli, error, json);
  }
}

/** Null when the folder this was started in has been removed. */
function contextOrNull(): CliContext | null {
  try {
    return processContext();
  } catch {
    return null; // process.cwd() is the one thing that can fail here
  }
}

function commanderEnd(
  cli: CliContext,
  program: Command,
  error: CommanderError,
  argv: readonly string[],
): number {
  if (error.exitCode === 0) return EXIT.done; // --help and --version
  const { path, unknown } = namedCommand(program, argv[0] === 'help' ? argv.slice(1) : argv);
  const missing = unknown === undefined ? 'a command is missing' : `unknown command '${unknown}'`;
  const problem = error.message.replace(/^error: /, '').replace(/^\(outputHelp\)$/, missing);
  const hint = [...path, '--help'].join(' ');
  return renderError(cli, new LlmxError('usage', { problem, hint }), argv.includes('--json'));
}

/** How far the command line names commands, and the first word that names none. */
function namedCommand(
  program: Command,
  argv: readonly string[],
): { readonly path: readonly string[]; readonly unknown: string | undefined } {
  const path = [program.name()];
  let at = program;
  for (const word of argv) {
    const next = at.commands.find((command) => command.name() === word);
    if (next === undefined) return { path, unknown: word };
    path.push(word);
    at = next;
  }
  return { path, unknown: undefined };
}

/** `llmx-client status | head`: who read enough is no error. A full disk is one. */
function outputFailed(cli: CliContext, error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  const reason = error.code ?? error.message;
  process.exit(
    renderError(cli, new LlmxError('output_failed', { reason }, { cause: error }), false),
  );
}

/** What nobody can read any more must not cost the result; only a closed pipe ends the command. */
function notesFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
}
