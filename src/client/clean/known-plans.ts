import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gridIdPrefix } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { readExperimentEntry } from '../../storage/experiment-entry.js';
import { EXPERIMENT_FILE } from '../../storage/experiment-folder.js';
import { loadFrozenPlan, type FrozenPlan } from '../../storage/frozen-plan.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { isErrno } from '../../support/atomic-file.js';
import { pathExists } from '../../support/path-exists.js';

/** A plan that this state folder has frozen. */
export interface KnownPlan {
  readonly key: string;
  /** Its experiment is still where it was. */
  readonly isThere: boolean;
  readonly plan: FrozenPlan;
}

/** Every plan that can still be read. A damaged one can't start a trial, so it needs nothing. */
export async function knownPlans(layout: StateLayout): Promise<readonly KnownPlan[]> {
  const plans: KnownPlan[] = [];
  for (const key of await namesIn(layout.experimentsDir)) {
    const isThere = await experimentIsThere(layout, key);
    for (const frozenId of await namesIn(dirname(layout.frozenDir(key, 'any')))) {
      const plan = await readPlan(layout, key, frozenId);
      if (plan !== null) plans.push({ key, isThere, plan });
    }
  }
  return plans;
}

async function readPlan(
  layout: StateLayout,
  key: string,
  frozenId: string,
): Promise<FrozenPlan | null> {
  try {
    return await loadFrozenPlan(layout, key, frozenId);
  } catch (error) {
    if (error instanceof LlmxError) return null;
    throw error;
  }
}

async function experimentIsThere(layout: StateLayout, key: string): Promise<boolean> {
  try {
    const { folder } = await readExperimentEntry(layout, key);
    return await pathExists(join(folder, EXPERIMENT_FILE));
  } catch (error) {
    // Nothing says where it is, so no trial of it can start.
    if (error instanceof LlmxError) return false;
    throw error;
  }
}

/** Keys of the experiments that these grids belong to. */
export function keysOf(plans: readonly KnownPlan[], gridIds: readonly string[]): Set<string> {
  const keys = new Set(plans.map(({ key }) => key));
  return new Set([...keys].filter((key) => gridIds.some((id) => id.startsWith(gridIdPrefix(key)))));
}

/** Names in a folder, none when it is not there. */
export async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return [];
    throw error;
  }
}
