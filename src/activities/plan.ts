import type { HostActivities } from '../domain/grid/contracts.js';
import type { PlannedCell } from '../domain/plan/cell.js';
import { pendingCells } from '../domain/plan/progress.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { loadFrozenPlan } from '../storage/frozen-plan.js';
import { loadPlan } from '../storage/plan-status.js';
import { readJsonIfExists, writeJsonAtomic } from '../support/atomic-file.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

/** The cells a grid sets out to do: fixed when it starts, kept on this host, read in pages. */
export function createPlanActivities(
  deps: ActivityDeps,
): Pick<HostActivities, 'openRunList' | 'loadRunPage'> {
  const hidden = hiddenFolders(deps);
  return {
    openRunList: guarded(async ({ plan, filters, redoDone, runListId }) => {
      const file = deps.layout.runListFile(plan.experimentKey, runListId);
      const existing = (await readJsonIfExists(file)) as PlannedCell[] | null;
      if (existing !== null) return { runListId, total: existing.length };
      const entry = await readExperimentEntry(deps.layout, plan.experimentKey);
      const frozen = await loadFrozenPlan(deps.layout, plan.experimentKey, plan.frozenId);
      const cells = await loadPlan(entry.folder, frozen.experiment, filters);
      const wanted = pendingCells(cells, redoDone);
      await writeJsonAtomic(file, wanted, { mode: 0o600 });
      return { runListId, total: wanted.length };
    }, hidden),
    loadRunPage: guarded(async ({ plan, runListId, cursor, limit }) => {
      const file = deps.layout.runListFile(plan.experimentKey, runListId);
      const cells = (await readJsonIfExists(file)) as PlannedCell[] | null;
      if (cells === null) throw new Error(`the list of cells ${runListId} is gone`);
      return cells.slice(cursor, cursor + limit);
    }, hidden),
  };
}
