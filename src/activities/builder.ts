import type { Builds, HostActivities } from '../domain/grid/contracts.js';
import { LlmxError } from '../errors/llmx-error.js';
import { loadFrozenPlan } from '../storage/frozen-plan.js';
import type { ActivityDeps } from './deps.js';
import { guarded } from './guard.js';
import { hiddenFolders } from './hidden.js';

/** Makes what trials start from, once per content: a second call with the same plan does nothing. */
export function createBuilderActivities(deps: ActivityDeps): Pick<HostActivities, 'ensureBuilder'> {
  return {
    ensureBuilder: guarded(async ({ plan, filters }): Promise<Builds> => {
      const { experiment } = await loadFrozenPlan(deps.layout, plan.experimentKey, plan.frozenId);
      const failed: Builds['failed'][number][] = [];
      for (const app of experiment.apps) {
        const tasks = experiment.tasks
          .filter((task) => task.app === app.key)
          .filter((task) => filters.task === null || filters.task === task.id)
          .map((task) => task.id);
        if (tasks.length === 0 || (filters.app !== null && filters.app !== app.key)) continue;
        try {
          await deps.trials.buildApp(plan, app.key, tasks);
        } catch (error) {
          // One app that can't be built must not cost the cells of the others.
          if (!(error instanceof LlmxError)) throw error;
          failed.push({ app: app.key, tasks, code: error.code, error: error.message });
        }
      }
      return { failed };
    }, hiddenFolders(deps)),
  };
}
