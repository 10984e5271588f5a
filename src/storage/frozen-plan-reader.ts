import type { PlanRef } from '../domain/grid/contracts.js';
import { loadFrozenPlan, type FrozenPlan } from './frozen-plan.js';
import type { StateLayout } from './state-layout.js';

/**
 * Reading a frozen plan checks every file of it, which is too much to do before every cell: the plan read
 * last is kept. It is named by its content, so it can't change; whoever uses one of its files checks that.
 */
export function frozenPlanReader(state: StateLayout): (ref: PlanRef) => Promise<FrozenPlan> {
  let last: { readonly key: string; readonly plan: FrozenPlan } | null = null;
  return async ({ experimentKey, frozenId }) => {
    const key = `${experimentKey}/${frozenId}`;
    if (last?.key !== key) {
      last = { key, plan: await loadFrozenPlan(state, experimentKey, frozenId) };
    }
    return last.plan;
  };
}
