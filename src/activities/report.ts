import type { HostActivities } from '../domain/grid/contracts.js';
import { collectReport } from '../report/model.js';
import { writeReport } from '../report/write-report.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { loadFrozenPlan } from '../storage/frozen-plan.js';
import { asWriteFault } from '../storage/results-fault.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

export function createReportActivities(deps: ActivityDeps): Pick<HostActivities, 'report'> {
  return {
    report: guarded(async ({ plan }) => {
      const { folder } = await readExperimentEntry(deps.layout, plan.experimentKey);
      const frozen = await loadFrozenPlan(deps.layout, plan.experimentKey, plan.frozenId);
      const model = await collectReport(folder, frozen.experiment);
      try {
        await writeReport(folder, model, { primary: frozen.experiment.primary });
      } catch (error) {
        throw await asWriteFault(error, { experimentDir: folder, stateRoot: deps.layout.root });
      }
      return { trials: model.trials, counted: model.counted };
    }, hiddenFolders(deps)),
  };
}
