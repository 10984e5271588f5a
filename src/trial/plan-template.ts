import type { AppSpec, RuntimeKind } from '../domain/experiment/experiment.js';
import { requireImage } from '../runtimes/containers/container-runtime.js';
import { engineOf, isEngineKind } from '../runtimes/containers/engines.js';
import { LlmxError } from '../errors/llmx-error.js';
import { appVariable } from '../storage/checkout.js';
import type { ExperimentEntry } from '../storage/experiment-entry.js';
import type { FrozenPlan } from '../storage/frozen-plan.js';
import type { StateLayout } from '../storage/state-layout.js';
import { buildTemplate } from '../apps/template/build-template.js';

/** A frozen plan, and where this host has its experiment. */
export interface PlanFiles extends FrozenPlan {
  readonly entry: ExperimentEntry;
}

/** What trials of an app start from; one of the two is null. */
export interface AppStart {
  /** On the host. */
  readonly templateDir: string | null;
  readonly imageId: string | null;
}

/** Made when it is not there. @throws LlmxError what {@link appTemplate} and the image throw */
export async function startOf(
  plan: PlanFiles,
  state: StateLayout,
  app: AppSpec,
  runtime: RuntimeKind,
): Promise<AppStart> {
  if (!isEngineKind(runtime)) {
    return { templateDir: await appTemplate(plan, state, app), imageId: null };
  }
  const engine = engineOf(runtime);
  const hint = `llmx-client build app ${app.key}`;
  return { templateDir: null, imageId: await requireImage(engine, app.image, hint) };
}

/**
 * Folder of the app's template, made when it is not there.
 * @throws LlmxError `checkout_not_set`, `branch_not_found`, and what {@link buildTemplate} throws
 */
export async function appTemplate(
  plan: PlanFiles,
  state: StateLayout,
  app: AppSpec,
): Promise<string> {
  const checkout = plan.entry.checkouts[app.key];
  const commits = plan.manifest.commits[app.key] ?? null;
  if (checkout === undefined || commits === null) {
    const variable = appVariable(app.key).slice('LLMX_APP_'.length);
    throw new LlmxError('checkout_not_set', { app: app.key, variable });
  }
  // A task without a branch fails by itself; the others have their template.
  const tasks = Object.entries(commits.tasks).flatMap(([task, commit]) =>
    commit === null ? [] : [[task, commit] as const],
  );
  if (tasks.length === 0) throw branchMissing(app, Object.keys(commits.tasks)[0] ?? 'base');
  const template = await buildTemplate({
    layout: state,
    checkout,
    app,
    commits: { base: commits.base, tasks: Object.fromEntries(tasks) },
  });
  return template.dir;
}

/** The branch a task had when the plan was frozen; it may be there now, but then it is another plan. */
export function assertBranch(plan: PlanFiles, app: AppSpec, task: string): void {
  const commits = plan.manifest.commits[app.key] ?? null;
  if (commits !== null && (commits.tasks[task] ?? null) === null) throw branchMissing(app, task);
}

function branchMissing(app: AppSpec, task: string): LlmxError {
  return new LlmxError('branch_not_found', {
    app: app.key,
    branch: `${app.branchPrefix}/${task}`,
    seen: ' when the grid was started',
    hint: 'llmx-client doctor',
  });
}
