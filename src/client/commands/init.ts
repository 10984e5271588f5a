import { Command } from 'commander';
import { relative, resolve } from 'node:path';
import type { CliContext } from '../context.js';
import { note, printJson, printLine } from '../output/print.js';

export function initCommand(cli: CliContext): Command {
  return new Command('init')
    .description(
      'make an experiment that runs as it is: a file, prompts, an app with a planted bug',
    )
    .addHelpText(
      'before',
      `Examples:
  llmx-client init                    in this folder
  llmx-client init my-experiment      in a new folder
`,
    )
    .argument('[folder]', 'where to make it; nothing there is overwritten', '.')
    .option('--json', 'print one JSON value')
    .action(async (folder: string, flags: { readonly json?: boolean }) => {
      await init(cli, folder, flags.json === true);
    });
}

async function init(cli: CliContext, folder: string, json: boolean): Promise<void> {
  const { makeExperiment } = await import('../init/make-experiment.js');
  const dir = resolve(cli.cwd, folder);
  const { files, kept } = await makeExperiment(dir);
  const shown = relative(cli.cwd, dir);
  for (const name of kept) {
    note(
      cli,
      `${name} was there and stays as it is; see that it ignores .apps.local, app and results-raw`,
    );
  }
  if (json) {
    printJson(cli, 'init', { folder: shown === '' ? '.' : shown, files });
    return;
  }
  for (const file of files) printLine(cli, `made ${file}`);
  const quoted = /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
  printLine(cli, `next: ${shown === '' ? '' : `cd ${quoted} && `}llmx-client start-grid --wait`);
}
