import { existsSync } from 'node:fs';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import { stateIdOf } from '../../trial/ids.js';
import type { CliContext } from '../context.js';
import { askEngines } from './ask-engines.js';
import { builderTargets } from './builder-targets.js';
import { halfMade, templateNames, unusedTemplates } from './folder-leftovers.js';
import { imageTargets } from './image-targets.js';
import { knownPlans } from './known-plans.js';
import { runningGrids, startsOfLiveTrials } from './running-grids.js';
import type { EngineAnswer, Target } from './target.js';
import { trialLeftovers } from './trial-leftovers.js';

export interface Survey {
  /** In the order to remove them. */
  readonly targets: readonly Target[];
  readonly engines: readonly EngineAnswer[];
}

/** All that llmx has on this host and in its engines. Changes nothing. */
export async function surveyDisk(cli: CliContext, address: string | undefined): Promise<Survey> {
  const layout = stateLayout(stateDir(cli.env));
  // Without a state folder there are no trials; the engines' images are of the whole user.
  const stateId = existsSync(layout.root) ? stateIdOf(layout.root) : null;
  const { answers, stocks } = await askEngines(cli.env, stateId);
  const templates = await templateNames(layout);
  const plans = await knownPlans(layout);
  const grids = await runningGrids(cli, layout, address);
  const liveStarts = await startsOfLiveTrials(layout);
  const leftovers =
    stateId === null
      ? []
      : [
          ...(await trialLeftovers(layout, stateId, stocks)),
          ...(await halfMade(layout)),
          ...(await unusedTemplates(layout, templates, plans, liveStarts)),
        ];
  const images = await imageTargets(stocks, {
    stateId,
    layout,
    env: cli.env,
    plans,
    grids,
    liveStarts,
  });
  // A container that is left keeps its image.
  return { targets: [...leftovers, ...images, ...builderTargets(stocks)], engines: answers };
}
