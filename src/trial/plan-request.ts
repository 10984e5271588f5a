import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AgentSpec, AppSpec, TaskSpec } from '../domain/experiment/experiment.js';
import type { PlanRef } from '../domain/grid/contracts.js';
import type { Cell } from '../domain/plan/cell.js';
import { KILL_GRACE_MS, TEST_TIMEOUT_MS } from '../domain/trial/deadlines.js';
import { adapterOf } from '../agents/registry.js';
import { chooseRuntime } from '../runtimes/registry.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno } from '../support/atomic-file.js';
import { sha256 } from '../support/hash.js';
import { assertBranch, startOf, type PlanFiles } from './plan-template.js';
import type { PreparedTrial, TrialRequest } from './trial-request.js';
import type { TrialInput, TrialServiceOptions } from './service-input.js';

interface Subject {
  readonly task: TaskSpec;
  readonly app: AppSpec;
  readonly agent: AgentSpec;
}

/** What attach-or-start needs to know of a planned cell. */
export async function trialRequest(
  plan: PlanFiles,
  input: TrialInput,
  options: TrialServiceOptions,
): Promise<TrialRequest> {
  const { experiment, entry } = plan;
  const { cell } = input;
  const subject = subjectOf(plan, cell);
  const { task, app, agent } = subject;
  adapterOf(agent); // a kind that can't be run is no reason to claim anything
  const runtime = await chooseRuntime(experiment);
  const promptFile = plan.promptFile(cell.task, cell.condition);
  const promptHash = await hashIfThere(promptFile);
  const solutionFile = plan.solutionFile(task.id);
  const solutionHash = solutionFile === null ? null : await hashIfThere(solutionFile);
  for (const [file, hash] of [
    [promptFile, promptHash],
    [solutionFile, solutionHash],
  ] as const) {
    if (file !== null) assertAsFrozen(plan, input.plan, file, hash);
  }
  return {
    experimentKey: input.plan.experimentKey,
    experimentDir: entry.folder,
    cell,
    requestId: input.requestId,
    stamp: input.stamp,
    redoDone: input.redoDone,
    promptFile,
    runtime,
    facts: {
      task: task.id,
      app: app.key,
      agent: agent.name,
      agent_kind: agent.kind,
      condition: cell.condition,
      model_requested: agent.model,
      targets: task.implFiles,
      prompt_sha256: promptHash,
      runtime,
      pins: experiment.pins,
      engine_version: options.engineVersion,
      workflow_id: input.workflowId,
      run_id: input.runId,
      frozen_id: input.plan.frozenId,
    },
    prepare: async () => {
      assertBranch(plan, app, task.id);
      // A grid has asked the engine at its start.
      const verify = input.workflowId === null;
      const start = await startOf(plan, options.state, app, { runtime, task: task.id, verify });
      return {
        ...preparedTrial(plan, subject, start.templateDir),
        promptFile,
        programFile: options.programFile,
        sandbox: {
          runtime,
          image: start.imageId,
          memory: experiment.trial.memory,
          cpus: experiment.trial.cpus,
          network: experiment.network,
        },
      };
    },
  };
}

function preparedTrial(
  plan: PlanFiles,
  { task, app, agent }: Subject,
  templateDir: string | null,
): Omit<PreparedTrial, 'promptFile' | 'programFile' | 'sandbox'> {
  return {
    agent,
    solutionFile: plan.solutionFile(task.id),
    templateDir,
    program: {
      branch: `trial/${task.id}`,
      neutralize: app.neutralize,
      dbPrepare: app.dbPrepare,
      testCommand: app.testCommand,
      testFile: task.testFile,
      implFiles: task.implFiles,
      suiteRanPattern: app.suiteRanPattern,
      suiteRanFlags: app.suiteRanFlags,
    },
    times: {
      agentTimeoutMs: task.timeoutMs,
      testTimeoutMs: TEST_TIMEOUT_MS,
      killGraceMs: KILL_GRACE_MS,
    },
  };
}

function subjectOf(plan: PlanFiles, cell: Cell): Subject {
  const { apps, agents, tasks } = plan.experiment;
  const task = tasks.find(({ id }) => id === cell.task);
  const app = apps.find(({ key }) => key === task?.app);
  const agent = agents.find(({ name }) => name === cell.agent);
  if (task === undefined || app === undefined || agent === undefined) {
    throw new Error(`the frozen plan has no cell ${cell.task} / ${cell.agent}`);
  }
  return { task, app, agent };
}

/** The plan was checked when it was opened, which may be days ago. */
function assertAsFrozen(
  plan: PlanFiles,
  { experimentKey, frozenId }: PlanRef,
  file: string,
  hash: string | null,
): void {
  const name = frozenName(plan, file);
  if ((plan.manifest.files[name] ?? null) === hash) return;
  throw new LlmxError('frozen_plan_damaged', { key: experimentKey, frozenId, problem: name });
}

/** A frozen file as it is called in the experiment folder. */
export function frozenName(plan: PlanFiles, file: string): string {
  return relative(join(plan.dir, 'files'), file);
}

async function hashIfThere(file: string): Promise<string | null> {
  try {
    return sha256(await readFile(file));
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}
