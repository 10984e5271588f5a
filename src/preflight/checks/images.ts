import { pinProblem } from '../../agents/cli-version.js';
import { isPaidKind, type AppSpec } from '../../domain/experiment/experiment.js';
import type { Check } from '../../domain/preflight/check.js';
import { AGENTS_LABEL, baseImage } from '../../apps/image/names.js';
import { chooseRuntime } from '../../runtimes/registry.js';
import type { ContainerEngine, ImageRow } from '../../runtimes/containers/engine.js';
import { engineOf, isEngineKind } from '../../runtimes/containers/engines.js';
import type { Environment } from '../../support/paths.js';
import type { CheckSubject } from '../context.js';

/**
 * Whether the images that trials start from are there, where trials run in containers. An engine that does
 * not work is the runtime's check; nothing can be asked of it then.
 */
export async function imageChecks(
  subject: CheckSubject,
  env: Environment,
): Promise<readonly Check[]> {
  const engine = await engineInUse(subject);
  if (engine === null) return [];
  const apps = appsToRun(subject);
  const base = { code: 'base-image', name: 'base image', image: baseImage(env) };
  return Promise.all([
    imageCheck(engine, {
      ...base,
      hint: 'llmx-client build base',
      problem: (labels) => agentsMissing(subject, labels),
    }),
    ...apps.map(({ key, image }) =>
      imageCheck(engine, {
        code: `app-image-${key}`,
        name: `app image ${key}`,
        image,
        hint: `llmx-client build app ${key}`,
      }),
    ),
  ]);
}

async function engineInUse({ experiment }: CheckSubject): Promise<ContainerEngine | null> {
  const wanted = experiment.runtime ?? experiment.defaultRuntime;
  if (wanted !== null && !isEngineKind(wanted)) return null;
  const kind = await chooseRuntime(experiment);
  if (!isEngineKind(kind)) return null;
  const engine = engineOf(kind);
  return (await engine.probe()).ok ? engine : null;
}

function appsToRun({ experiment, cells }: CheckSubject): readonly AppSpec[] {
  const tasks = new Set(cells.map((cell) => cell.task));
  const keys = new Set(experiment.tasks.filter(({ id }) => tasks.has(id)).map(({ app }) => app));
  return experiment.apps.filter(({ key }) => keys.has(key));
}

interface ImageAsked {
  readonly code: string;
  readonly name: string;
  readonly image: string;
  readonly hint: string;
  /** What is wrong with the one that is there, from its labels, or null. */
  readonly problem?: (labels: ImageRow['labels']) => string | null;
}

async function imageCheck(
  engine: ContainerEngine,
  { code, name, image, hint, problem = () => null }: ImageAsked,
): Promise<Check> {
  const row = await engine.image(image);
  if (row === null) return { code, name, status: 'warn', detail: `${image} not built`, hint };
  const found = problem(row.labels);
  return found === null
    ? { code, name, status: 'ok', detail: image, hint: null }
    : { code, name, status: 'fail', detail: `${image}: ${found}`, hint };
}

/** Whether a base image has the CLIs that this grid starts; one without our label has no list of them. */
export function agentsMissing(
  { experiment, cells }: Pick<CheckSubject, 'experiment' | 'cells'>,
  labels: ImageRow['labels'],
): string | null {
  const text = labels[AGENTS_LABEL];
  if (text === undefined) return null;
  const versions = JSON.parse(text) as Readonly<Record<string, string>>;
  const runs = new Set(cells.map(({ agent }) => agent));
  for (const { name, kind } of experiment.agents) {
    if (!runs.has(name) || !isPaidKind(kind)) continue;
    if (versions[kind] === undefined) return `${kind} is not in it`;
    const problem = pinProblem(kind, experiment.pins, versions);
    if (problem !== null) return problem;
  }
  return null;
}
