import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addFilterOptions, filtersFrom, type FilterFlags } from '../filters.js';
import { printJson, printLine } from '../output/print.js';

interface PlanFlags extends FilterFlags {
  readonly redoDone?: boolean;
  readonly json?: boolean;
}

export function planCommand(cli: CliContext): Command {
  const command = new Command('plan')
    .description('show the cells in the order in which they run, and what they can show and cost')
    .addHelpText(
      'before',
      `Examples:
  llmx-client plan                          every cell, done or not
  llmx-client plan --task t1 --agent oracle
  llmx-client plan --redo-done              as if nothing was done yet
  llmx-client plan --json
`,
    );
  return addFilterOptions(command)
    .option('--redo-done', 'count cells that have their result as still to run')
    .option('--json', 'print one JSON value')
    .action(async (flags: PlanFlags) => {
      await showPlan(cli, flags);
    });
}

async function showPlan(cli: CliContext, flags: PlanFlags): Promise<void> {
  const { findExperiment } = await import('../../storage/experiment-folder.js');
  const { loadPlanStatus, planHash } = await import('../../storage/plan-status.js');
  const { planFacts } = await import('../../storage/plan-facts.js');
  const { pendingCells } = await import('../../domain/plan/progress.js');
  const { planFigures } = await import('../../domain/plan/figures.js');
  const { planLines } = await import('../output/plan-text.js');
  const { noteDamaged } = await import('../output/damaged.js');

  const { dir, text, experiment } = await findExperiment(cli.cwd, cli.env);
  const { cells, damaged } = await loadPlanStatus(dir, experiment, filtersFrom(flags));
  noteDamaged(cli, damaged);
  const toRun = pendingCells(cells, flags.redoDone === true);
  const figures = planFigures(experiment, cells, toRun);
  if (flags.json !== true) {
    for (const line of planLines(experiment, cells, toRun, figures)) printLine(cli, line);
    return;
  }
  printJson(cli, 'plan', {
    planHash: planHash(cells, await planFacts({ dir, text, experiment }, cells)),
    total: cells.length,
    toRun: toRun.length,
    cells: cells.map(({ index, task, agent, condition, repeat, done }) => ({
      index,
      task,
      agent,
      condition,
      repeat,
      done,
    })),
    ...figures,
  });
}
