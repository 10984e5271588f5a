import type { Experiment } from '../../domain/experiment/experiment.js';
import type { GridInput } from '../../domain/grid/contracts.js';
import type { GridFilters, PlannedCell } from '../../domain/plan/cell.js';
import { pendingCells } from '../../domain/plan/progress.js';
import { readCheckouts } from '../../storage/checkout.js';
import { experimentKey, findExperiment } from '../../storage/experiment-folder.js';
import { writeExperimentEntry } from '../../storage/experiment-entry.js';
import { freezePlan } from '../../storage/frozen-plan.js';
import { planFacts } from '../../storage/plan-facts.js';
import { loadPlan, planHash } from '../../storage/plan-status.js';
import { stateLayout, type StateLayout } from '../../storage/state-layout.js';
import { chooseRuntime } from '../../runtimes/registry.js';
import { stateDir, type Environment } from '../../support/paths.js';
import { hostId } from '../../temporal/host-id.js';
import type { CliContext } from '../context.js';

/** An experiment as the commands see it: found, read, and named. */
export interface OpenExperiment {
  readonly dir: string;
  readonly text: string;
  readonly experiment: Experiment;
  readonly layout: StateLayout;
  readonly hostId: string;
  readonly key: string;
}

export async function openExperiment(cli: CliContext): Promise<OpenExperiment> {
  const { dir, text, experiment } = await findExperiment(cli.cwd, cli.env);
  const layout = stateLayout(stateDir(cli.env));
  const host = await hostId(layout);
  const key = await experimentKey(experiment.name, host, dir);
  return { dir, text, experiment, layout, hostId: host, key };
}

export interface PreparedGrid {
  readonly input: GridInput;
  readonly cells: readonly PlannedCell[];
  readonly pending: readonly PlannedCell[];
  /** What differs from the plan that was frozen last, in words. */
  readonly changes: readonly string[];
}

export interface PrepareOptions {
  readonly filters: GridFilters;
  readonly redoDone: boolean;
  readonly preApproval: GridInput['preApproval'];
  readonly useSearchAttributes: boolean;
}

/** Freezes the plan and tells this host's worker where the experiment is. */
export async function prepareGrid(
  cli: CliContext,
  open: OpenExperiment,
  options: PrepareOptions,
): Promise<PreparedGrid> {
  const { dir, experiment, layout, key } = open;
  const cells = await loadPlan(dir, experiment, options.filters);
  const checkouts = Object.fromEntries(
    Object.entries(await readCheckouts(dir, experiment, cli.env)).filter(
      (pair): pair is [string, string] => pair[1] !== null,
    ),
  );
  await writeExperimentEntry(layout, key, { schemaVersion: 1, folder: dir, checkouts });
  const frozen = await freezePlan({
    state: layout,
    key,
    folder: dir,
    env: await withRuntime(cli, open),
  });
  return {
    cells,
    pending: pendingCells(cells, options.redoDone),
    changes: frozen.changes,
    input: gridInput(open, frozen.frozenId, planHash(cells, await planFacts(open, cells)), options),
  };
}

/** A grid keeps the runtime it began with, whatever else comes up or goes down meanwhile. */
async function withRuntime(cli: CliContext, { experiment }: OpenExperiment): Promise<Environment> {
  if (experiment.runtime !== null) return cli.env;
  return { ...cli.env, LLMX_RUNTIME: await chooseRuntime(experiment) };
}

function gridInput(
  open: OpenExperiment,
  frozenId: string,
  hash: string,
  options: PrepareOptions,
): GridInput {
  const { experiment, key } = open;
  return {
    plan: { experimentKey: key, frozenId },
    experimentName: experiment.name,
    hostId: open.hostId,
    planHash: hash,
    filters: options.filters,
    redoDone: options.redoDone,
    repeats: experiment.repeats,
    approvalMs: experiment.preflight.approvalMs,
    maxConsecutiveVoids: experiment.limits.maxConsecutiveVoids,
    longestTrialMs: Math.max(...experiment.tasks.map((task) => task.timeoutMs)),
    preApproval: options.preApproval,
    useSearchAttributes: options.useSearchAttributes,
    carry: null,
  };
}
