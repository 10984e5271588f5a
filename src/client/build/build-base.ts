import { resolve } from 'node:path';
import { buildBaseImage } from '../../apps/image/base-image.js';
import {
  DEFAULT_VERSIONS,
  hostNeeds,
  wantedAgents,
  wantedRuby,
  type BaseRecipe,
} from '../../apps/image/base-recipe.js';
import { baseImage } from '../../apps/image/names.js';
import type { Experiment } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { findExperiment } from '../../storage/experiment-folder.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import type { BaseFlags } from '../commands/build.js';
import type { CliContext } from '../context.js';
import { note } from '../output/print.js';
import { chooseEngine, ensureBuildDisk } from './engine.js';
import { printBuilt } from './print-built.js';

const DEFAULT_FROM = 'docker.io/library/debian:bookworm-slim';
const DEFAULT_REGISTRY = 'https://registry.npmjs.org';

export async function buildBase(cli: CliContext, flags: BaseFlags): Promise<void> {
  const experiment = await experimentHere(cli);
  const recipe = readRecipe(cli, flags, experiment);
  const layout = stateLayout(stateDir(cli.env));
  const engine = await chooseEngine(
    flags.runtime,
    experiment?.runtime ?? experiment?.defaultRuntime ?? null,
  );
  await ensureBuildDisk(cli.env, layout.root);
  const startedMs = performance.now();
  const image = await buildBaseImage({
    layout,
    engine,
    reference: baseImage(cli.env),
    recipe,
    caFile: caFile(cli, flags),
    noCache: !flags.cache,
    log: (line) => {
      note(cli, line);
    },
  });
  const seconds = (performance.now() - startedMs) / 1000;
  printBuilt(cli, { ...image, engine: engine.kind, seconds }, flags.json === true);
}

async function experimentHere(cli: CliContext): Promise<Experiment | null> {
  try {
    return (await findExperiment(cli.cwd, cli.env)).experiment;
  } catch (error) {
    if (error instanceof LlmxError && error.code === 'experiment_not_found') return null;
    throw error;
  }
}

function readRecipe(
  { env }: CliContext,
  flags: BaseFlags,
  experiment: Experiment | null,
): Omit<BaseRecipe, 'hasCaFile'> {
  const isHost = flags.fromHost === true;
  const registry = env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'] ?? DEFAULT_REGISTRY;
  return {
    source: isHost ? { kind: 'host' } : { kind: 'image', from: flags.from ?? DEFAULT_FROM },
    node: experiment?.pins['node'] ?? DEFAULT_VERSIONS.node,
    ruby: wantedRuby(experiment),
    agents: wantedAgents(flags.agents ?? null, experiment, isHost ? 'host' : 'image'),
    needs: isHost ? hostNeeds(experiment) : [],
    registry: registry.replace(/\/+$/, ''),
  };
}

/** A network that inspects https has certificates of its own, which containers don't know. */
function caFile({ cwd, env }: CliContext, { caFile: asked }: BaseFlags): string | null {
  const set = asked ?? env['SSL_CERT_FILE'] ?? env['NODE_EXTRA_CA_CERTS'] ?? '';
  return set === '' ? null : resolve(cwd, set);
}
