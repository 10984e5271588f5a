/** From a results tree on disk, ours or the Ruby gem's, to the report model. */

import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Experiment } from '../domain/experiment/experiment.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import { collectTrials } from './collect-trials.js';
import type { Arm, ArmRate, ReportModel } from './report-types.js';
import { Tally, type TallySettings } from './tally.js';

const TREES = ['results-raw', 'results'];

/** What a report needs to know of an experiment: the declared order and what is still missing. */
export type ReportedExperiment = Pick<
  Experiment,
  'name' | 'agents' | 'tasks' | 'conditions' | 'repeats' | 'alpha' | 'primary'
>;

/** The report of an experiment folder; without any attempt it is empty. */
export async function collectReport(
  experimentDir: string,
  experiment: ReportedExperiment | null = null,
): Promise<ReportModel> {
  const tally = await tallyTrees(await existingTrees(experimentDir), experiment ?? {});
  const report = tally.report(experiment?.conditions ?? []);
  const results = experiment === null ? NO_PLAN : plannedResults(experiment, report.rates);
  return { experiment: experiment?.name ?? null, ...results, ...report };
}

const NO_PLAN = { planned: null, missing: null };

function plannedResults(
  { agents, tasks, conditions, repeats }: ReportedExperiment,
  rates: readonly ArmRate[],
): Pick<ReportModel, 'planned' | 'missing'> {
  const found = new Map(rates.map((rate) => [armKey(rate), rate.n]));
  let missing = 0;
  for (const { id: task } of tasks) {
    for (const { name: agent } of agents) {
      for (const condition of conditions) {
        missing += Math.max(0, repeats - (found.get(armKey({ agent, task, condition })) ?? 0));
      }
    }
  }
  return { planned: tasks.length * agents.length * conditions.length * repeats, missing };
}

/**
 * The report of any results tree; `dir` is the tree or its parent.
 * @throws LlmxError `results_not_found` when there is no attempt in it
 */
export async function collectResults(dir: string): Promise<ReportModel> {
  const problem = await folderProblem(dir);
  if (problem !== null) throw new LlmxError('results_not_found', { folder: dir, problem });
  const isTree = basename(dir) === 'results-raw';
  const trees = isTree ? [] : await existingTrees(dir);
  const tally = await tallyTrees(trees.length > 0 ? trees : [dir], {});
  if (tally.isEmpty) {
    const nothing = 'no metrics.json and no meta.json lies in it';
    throw new LlmxError('results_not_found', { folder: dir, problem: nothing });
  }
  return { experiment: null, ...NO_PLAN, ...tally.report([]) };
}

/** The first tree with a trial, never two (a published tree repeats the raw one); else the first with anything. */
async function tallyTrees(trees: readonly string[], settings: TallySettings): Promise<Tally> {
  let chosen = new Tally(settings);
  for (const tree of trees) {
    const tally = new Tally(settings);
    await collectTrials(tree, (attempt, folder) => {
      tally.add(attempt, folder);
    });
    if (tally.trials > 0) return tally;
    if (chosen.isEmpty) chosen = tally;
  }
  return chosen;
}

async function existingTrees(dir: string): Promise<readonly string[]> {
  const trees = TREES.map((name) => join(dir, name));
  const problems = await Promise.all(trees.map(folderProblem));
  return trees.filter((_tree, index) => problems[index] === null);
}

/** Null for a folder. */
async function folderProblem(dir: string): Promise<string | null> {
  try {
    return (await stat(dir)).isDirectory() ? null : 'it is not a folder';
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return 'there is no such folder';
    throw error;
  }
}

function armKey(arm: Arm): string {
  return JSON.stringify([arm.agent, arm.task, arm.condition]);
}
