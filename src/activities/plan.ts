import type { HostActivities } from '../domain/grid/contracts.js';
import { pendingCells } from '../domain/plan/progress.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { loadFrozenPlan } from '../storage/frozen-plan.js';
import { loadPlan } from '../storage/plan-status.js';
import { readRunList, requiredRunList, writeRunList } from '../storage/run-list.js';
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
      const place = { layout: deps.layout, experimentKey: plan.experimentKey, runListId };
      const existing = await readRunList(place);
      if (existing !== null) return { runListId, total: existing.length };
      const entry = await readExperimentEntry(deps.layout, plan.experimentKey);
      const frozen = await loadFrozenPlan(deps.layout, plan.experimentKey, plan.frozenId);
      const cells = await loadPlan(entry.folder, frozen.experiment, filters);
      const wanted = pendingCells(cells, redoDone);
      await writeRunList(place, wanted);
      return { runListId, total: wanted.length };
    }, hidden),
    loadRunPage: guarded(async ({ plan, runListId, cursor, limit }) => {
      const place = { layout: deps.layout, experimentKey: plan.experimentKey, runListId };
      const cells = await requiredRunList(place);
      return cells.slice(cursor, cursor + limit);
    }, hidden),
  };
}
