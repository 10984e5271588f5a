import { createInterface } from 'node:readline';
import type { CliContext } from '../context.js';

/** Only a clear yes is one; so is not the end of the input. */
export function askYesNo(cli: CliContext, question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: cli.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve(false);
    });
    lines.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}
