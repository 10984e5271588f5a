import type { AppSpec } from '../../domain/experiment/experiment.js';
import type { Check } from '../../domain/preflight/check.js';
import { baseImage } from '../../apps/image/names.js';
import { chooseRuntime } from '../../runtimes/registry.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
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
    imageCheck(engine, { ...base, hint: 'llmx-client build base' }),
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

async function imageCheck(
  engine: ContainerEngine,
  { code, name, image, hint }: Pick<Check, 'code' | 'name'> & { image: string; hint: string },
): Promise<Check> {
  return (await engine.image(image)) === null
    ? { code, name, status: 'warn', detail: `${image} not built`, hint }
    : { code, name, status: 'ok', detail: image, hint: null };
}
