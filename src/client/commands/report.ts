import { Command, Option } from 'commander';
import { resolve } from 'node:path';
import type { ReportModel } from '../../report/report-types.js';
import type { CliContext } from '../context.js';
import { note, printJson, printLine } from '../output/print.js';

interface ReportFlags {
  readonly md?: boolean;
  readonly json?: boolean;
  readonly results?: string;
}

export function reportCommand(cli: CliContext): Command {
  return new Command('report')
    .description('pass rates and medians of the trials on disk')
    .addHelpText(
      'before',
      `Examples:
  llmx-client report                        of this experiment
  llmx-client report --md > report.md
  llmx-client report --results ../other     of any results tree, also without experiment.yml
`,
    )
    .addOption(new Option('--md', 'print Markdown').conflicts('json'))
    .option('--json', 'print one JSON value')
    .option('--results <dir>', 'results tree to read, or the folder that holds it')
    .action(async (flags: ReportFlags) => {
      await showReport(cli, flags);
    });
}

interface FoundReport {
  readonly model: ReportModel;
  readonly primary: readonly string[];
}

async function showReport(cli: CliContext, flags: ReportFlags): Promise<void> {
  const { model, primary } = await findReport(cli, flags.results);
  if (flags.json === true) {
    printJson(cli, 'report', model);
    return;
  }
  if (flags.md === true) {
    const { reportMarkdown } = await import('../../report/markdown.js');
    cli.stdout.write(reportMarkdown(model, { primary }));
  } else {
    const { reportText } = await import('../../report/terminal.js');
    printLine(cli, reportText(model, { primary, ...terminalWidth(cli) }));
  }
  if (model.missing !== null && model.missing > 0) note(cli, 'next: llmx-client start-grid');
}

async function findReport(cli: CliContext, results: string | undefined): Promise<FoundReport> {
  const { collectReport, collectResults } = await import('../../report/model.js');
  if (results !== undefined) {
    return { model: await collectResults(resolve(cli.cwd, results)), primary: [] };
  }
  const { findExperiment } = await import('../../storage/experiment-folder.js');
  const { dir, experiment } = await findExperiment(cli.cwd, cli.env);
  return { model: await collectReport(dir, experiment), primary: experiment.primary };
}

/** Only a terminal has a width; a file or a pipe gets whole lines. */
function terminalWidth({ stdout, stdoutIsTty }: CliContext): { readonly width?: number } {
  const { columns } = stdout as { readonly columns?: number };
  return stdoutIsTty && columns !== undefined ? { width: columns } : {};
}
