import type { HostActivities } from '../domain/grid/contracts.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

/** What `runTrial` does on a cancel, for the case that its worker did not live to do it. */
export function createStopTrialActivities(deps: ActivityDeps): Pick<HostActivities, 'stopTrial'> {
  return { stopTrial: guarded((input) => deps.trials.stop(input), hiddenFolders(deps)) };
}
