import type { CliContext } from '../context.js';
import { typed } from './typed.js';

/** Exactly one JSON value on stdout. */
export function printJson(cli: CliContext, kind: string, value: object): void {
  cli.stdout.write(`${JSON.stringify({ schemaVersion: 1, kind, ...value })}\n`);
}

export function printLine(cli: CliContext, text: string): void {
  cli.stdout.write(`${typed(cli, text)}\n`);
}

/** For the person at the terminal, never part of the result. */
export function note(cli: CliContext, text: string): void {
  cli.stderr.write(`${typed(cli, text)}\n`);
}
