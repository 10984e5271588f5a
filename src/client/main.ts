import { CommanderError } from 'commander';
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
export async function main(
  argv: readonly string[],
  cli: CliContext = processContext(),
): Promise<number> {
  const json = argv.includes('--json');
  for (const stream of [cli.stdout, cli.stderr]) stream.on('error', leaveQuietly);
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
    if (error instanceof CommanderError) return commanderEnd(cli, error, argv, json);
    return renderError(cli, error, json);
  }
}

function commanderEnd(
  cli: CliContext,
  error: CommanderError,
  argv: readonly string[],
  json: boolean,
): number {
  if (error.exitCode === 0) return EXIT.done; // --help and --version
  const command = argv[0]?.startsWith('-') === false ? ` ${argv[0]}` : '';
  const known = error.code !== 'commander.unknownCommand';
  const problem = error.message
    .replace(/^error: /, '')
    .replace(/^\(outputHelp\)$/, 'a command is missing');
  const hint = `llmx-client${known ? command : ''} --help`;
  return renderError(cli, new LlmxError('usage', { problem, hint }), json);
}

/** `llmx-client status | head`: who read enough is no error. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.done);
}
