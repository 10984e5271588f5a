import type { CliContext } from '../context.js';
import { note } from './print.js';

/** Says which records can't be read; what they stood for counts as not done. */
export function noteDamaged(cli: CliContext, files: readonly string[]): void {
  for (const file of files) {
    note(cli, `${file} is damaged; its attempt counts as not done (nothing is deleted)`);
  }
}
