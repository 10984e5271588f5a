import type { Command } from 'commander';
import type { GridFilters } from '../domain/plan/cell.js';

/** What commander makes of {@link addFilterOptions}. */
export interface FilterFlags {
  readonly app?: string;
  readonly agent?: readonly string[];
  readonly task?: string;
}

/** The filters that `plan` and `start-grid` share. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--app <key>', 'only the tasks of this app')
    .option(
      '--agent <name>',
      'only this agent; repeat the flag for more, they run in the order given',
      (name: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), name],
    )
    .option('--task <id>', 'only this task');
}

export function filtersFrom(flags: FilterFlags): GridFilters {
  return { app: flags.app ?? null, agents: flags.agent ?? [], task: flags.task ?? null };
}
