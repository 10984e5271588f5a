import type { AppSpec, RuntimeKind } from '../domain/experiment/experiment.js';
import { ensureAppImage } from '../apps/image/app-image.js';
import { baseImage } from '../apps/image/names.js';
import { knownBranches, type AppCommits } from '../apps/template/app-source.js';
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

/**
 * Made when it is not there: for one task, or for all of the app.
 * @throws LlmxError what {@link buildTemplate} and {@link ensureAppImage} throw
 */
export async function startOf(
  plan: PlanFiles,
  state: StateLayout,
  app: AppSpec,
  { runtime, task, verify = false }: StartWish,
): Promise<AppStart> {
  const source = appSource(plan, app);
  if (!isEngineKind(runtime)) {
    const template = await buildTemplate({ layout: state, app, ...source });
    return { templateDir: template.dir, imageId: null };
  }
  const image = await ensureAppImage({
    layout: state,
    engine: engineOf(runtime),
    app,
    ...source,
    baseImage: baseImage(process.env),
    ...(task === undefined ? {} : { task }),
    verify,
  });
  return { templateDir: null, imageId: image.imageId };
}

export interface StartWish {
  readonly runtime: RuntimeKind;
  /** In a container only what this task may show is there. @defaultValue the whole app */
  readonly task?: string;
  /** Asks the engine, not only what was recorded. @defaultValue false */
  readonly verify?: boolean;
}

/**
 * Where the app's code comes from.
 * @throws LlmxError `checkout_not_set`, `branch_not_found`
 */
function appSource(
  plan: PlanFiles,
  app: AppSpec,
): { readonly checkout: string; readonly commits: AppCommits } {
  const checkout = plan.entry.checkouts[app.key];
  const commits = plan.manifest.commits[app.key] ?? null;
  if (checkout === undefined || commits === null) {
    const variable = appVariable(app.key).slice('LLMX_APP_'.length);
    throw new LlmxError('checkout_not_set', { app: app.key, variable });
  }
  // A task without a branch fails by itself; the others have their template.
  const known = knownBranches(commits);
  const [first = 'base'] = Object.keys(commits.tasks);
  if (Object.keys(known.tasks).length === 0) throw branchMissing(app, first);
  return { checkout, commits: known };
}

/** The branch a task had when the plan was frozen; it may be there now, but then it is another plan. */
export function assertBranch(plan: PlanFiles, app: AppSpec, task: string): void {
  if (!hasBranch(plan, app, task)) throw branchMissing(app, task);
}

export function hasBranch(plan: PlanFiles, app: AppSpec, task: string): boolean {
  const commits = plan.manifest.commits[app.key] ?? null;
  return commits === null || (commits.tasks[task] ?? null) !== null;
}

function branchMissing(app: AppSpec, task: string): LlmxError {
  return new LlmxError('branch_not_found', {
    app: app.key,
    branch: `${app.branchPrefix}/${task}`,
    seen: ' when the grid was started',
    hint: 'llmx-client doctor',
  });
}
