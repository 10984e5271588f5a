import type { HostActivities } from '../domain/grid/contracts.js';
import { createBuilderActivities } from './builder.js';
import type { ActivityDeps } from './deps.js';
import { createDiskActivities } from './disk.js';
import { createPlanActivities } from './plan.js';
import { createPreflightActivities } from './preflight.js';
import { createReportActivities } from './report.js';
import { createStopTrialActivities } from './stop-trial.js';

/** Everything on the host queue; runTrial has a queue of its own. */
export function createHostActivities(deps: ActivityDeps): HostActivities {
  return {
    ...createPlanActivities(deps),
    ...createBuilderActivities(deps),
    ...createDiskActivities(deps),
    ...createPreflightActivities(deps),
    ...createReportActivities(deps),
    ...createStopTrialActivities(deps),
  };
}
