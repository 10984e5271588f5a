import type { PlanRef } from '../domain/grid/contracts.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import type { HiddenPath } from '../support/hide-paths.js';
import { fileURLToPath } from 'node:url';
import type { ActivityDeps } from './deps.js';

const INSTALL_FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Folders of this host that may occur in what an activity says about an experiment. */
export function hiddenFolders(deps: ActivityDeps) {
  return async (input: { readonly plan: PlanRef }): Promise<readonly HiddenPath[]> => {
    const host = [
      { path: INSTALL_FOLDER, label: '<llmx>' },
      { path: deps.layout.root, label: '<state>' },
    ];
    const entry = await readExperimentEntry(deps.layout, input.plan.experimentKey);
    const checkouts = Object.entries(entry.checkouts).map(([app, path]) => ({
      path,
      label: `<checkout ${app}>`,
    }));
    return [...host, ...checkouts, { path: entry.folder, label: '<experiment>' }];
  };
}
