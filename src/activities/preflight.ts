import type { HostActivities } from '../domain/grid/contracts.js';
import { approvalBasis, verdictOf, type Check } from '../domain/preflight/check.js';
import { pendingCells } from '../domain/plan/progress.js';
import { runChecks } from '../preflight/run-checks.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { loadFrozenPlan } from '../storage/frozen-plan.js';
import { loadPlan } from '../storage/plan-status.js';
import { sha256 } from '../support/hash.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

const HASH_LENGTH = 12;

export function createPreflightActivities(deps: ActivityDeps): Pick<HostActivities, 'preflight'> {
  return {
    preflight: guarded(async ({ plan, planHash, filters, redoDone }) => {
      const entry = await readExperimentEntry(deps.layout, plan.experimentKey);
      const frozen = await loadFrozenPlan(deps.layout, plan.experimentKey, plan.frozenId);
      const cells = await loadPlan(entry.folder, frozen.experiment, filters);
      const found = await runChecks({
        env: deps.env,
        stateDir: deps.layout.root,
        subject: {
          experiment: frozen.experiment,
          folder: entry.folder,
          cells: pendingCells(cells, redoDone),
          checkouts: entry.checkouts,
          promptFile: (task, condition) => frozen.promptFile(task, condition),
          solutionFile: (task) => frozen.solutionFile(task),
        },
      });
      const checks = [...connectionChecks(deps), ...found];
      return {
        checks,
        verdict: verdictOf(checks),
        hash: sha256(approvalBasis(planHash, checks)).slice(0, HASH_LENGTH),
      };
    }, hiddenFolders(deps)),
  };
}

/** That this activity runs at all is the probe: server and worker are there. */
function connectionChecks(deps: ActivityDeps): readonly Check[] {
  return [
    {
      code: 'temporal',
      name: 'Temporal',
      status: 'ok',
      detail: `connected to ${deps.temporalAddress}`,
      hint: null,
    },
    {
      code: 'worker',
      name: 'worker',
      status: 'ok',
      detail: `running on this host (pid ${deps.worker.pid})`,
      hint: null,
    },
  ];
}
