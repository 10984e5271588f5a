import { LlmxError } from '../../errors/llmx-error.js';
import { isDiskFull } from '../../support/file-faults.js';
import type { CliContext } from '../context.js';
import { note } from './print.js';

/** Prints an error (JSON on stdout with `--json`, else text on stderr) and says how to exit. */
export function renderError(cli: CliContext, error: unknown, json: boolean): number {
  const known = error instanceof LlmxError ? error : unexpected(error);
  if (json) {
    const body = { code: known.code, message: known.message, hint: known.hint };
    cli.stdout.write(`${JSON.stringify({ schemaVersion: 1, error: body })}\n`);
  } else {
    const hint = known.hint === null ? '' : `\nnext: ${known.hint}`;
    note(cli, `error: ${known.message}${hint}`);
  }
  if (cli.env['LLMX_DEBUG'] === '1') {
    const cause = known.cause instanceof Error ? known.cause : known;
    cli.stderr.write(`${cause.stack ?? String(cause)}\n`);
  }
  return known.exitCode;
}

function unexpected(error: unknown): LlmxError {
  const reason = error instanceof Error ? error.message : String(error);
  if (isDiskFull(error)) return new LlmxError('no_space', { where: reason }, { cause: error });
  return new LlmxError('unexpected', { reason: reason.split('\n', 1)[0] ?? '' }, { cause: error });
}
