import { join } from 'node:path';
import type { HostActivities } from '../domain/grid/contracts.js';
import { LlmxError } from '../errors/llmx-error.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { frozenPlanReader } from '../storage/frozen-plan-reader.js';
import { RESULTS_FOLDER } from '../storage/results-fault.js';
import { freeGb } from '../support/free-disk.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

/** Before each trial: a full disk loses results without a message. */
export function createDiskActivities(deps: ActivityDeps): Pick<HostActivities, 'ensureDisk'> {
  const openPlan = frozenPlanReader(deps.layout);
  return {
    ensureDisk: guarded(async ({ plan }) => {
      const entry = await readExperimentEntry(deps.layout, plan.experimentKey);
      const { experiment } = await openPlan(plan);
      const needGb = experiment.preflight.minFreeGb;
      // The results may lie on a disk of their own.
      const results = join(entry.folder, RESULTS_FOLDER);
      for (const where of [results, entry.folder, deps.layout.root]) {
        const free = await freeGb(where);
        if (free < needGb) {
          throw new LlmxError('disk_low', { freeGb: free.toFixed(1), where, needGb });
        }
      }
    }, hiddenFolders(deps)),
  };
}
