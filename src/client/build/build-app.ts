import { ensureAppImage } from '../../apps/image/app-image.js';
import { baseImage } from '../../apps/image/names.js';
import type { AppSpec } from '../../domain/experiment/experiment.js';
import { suggest } from '../../domain/experiment/suggest.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { resolveCommits } from '../../storage/app-commits.js';
import { checkoutFor } from '../../storage/checkout.js';
import { findExperiment } from '../../storage/experiment-folder.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import type { BuildFlags } from '../commands/build.js';
import type { CliContext } from '../context.js';
import { note } from '../output/print.js';
import { chooseEngine, ensureBuildDisk } from './engine.js';
import { printBuilt } from './print-built.js';

export async function buildApp(cli: CliContext, key: string, flags: BuildFlags): Promise<void> {
  const { dir, experiment } = await findExperiment(cli.cwd, cli.env);
  const app = experiment.apps.find((known) => known.key === key);
  if (app === undefined) throw unknownApp(key, experiment.apps);
  const tasks = experiment.tasks.filter((task) => task.app === key).map(({ id }) => id);
  const checkout = await checkoutFor(dir, key, cli.env);
  const commits = await resolveCommits(app, tasks, checkout);
  const layout = stateLayout(stateDir(cli.env));
  const engine = await chooseEngine(flags.runtime, experiment.runtime ?? experiment.defaultRuntime);
  await ensureBuildDisk(cli.env, layout.root);
  const startedMs = performance.now();
  const image = await ensureAppImage({
    layout,
    engine,
    app,
    checkout: checkout ?? '',
    commits,
    baseImage: baseImage(cli.env),
    verify: true,
    noCache: !flags.cache,
    log: (line) => {
      note(cli, line);
    },
  });
  const seconds = (performance.now() - startedMs) / 1000;
  printBuilt(cli, { ...image, engine: engine.kind, seconds }, flags.json === true);
}

function unknownApp(key: string, apps: readonly AppSpec[]): LlmxError {
  const names = apps.map((app) => app.key);
  const problem = `there is no app ${key} in experiment.yml (it has ${names.join(', ')})`;
  const meant = suggest(key, names) ?? names[0] ?? 'KEY';
  return new LlmxError('usage', { problem, hint: `llmx-client build app ${meant}` });
}
