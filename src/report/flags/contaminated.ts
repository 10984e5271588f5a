import { blockRule, countOf } from './flag-types.js';

/** Trials whose agent could see or use more than the task. One flag for each way. */
export const contaminated = blockRule('contaminated', ({ arms }) => {
  const folders = new Map<string, string[]>();
  for (const { leaks, folder } of arms.flatMap((arm) => arm.trials)) {
    for (const leak of leaks) folders.set(leak, [...(folders.get(leak) ?? []), folder]);
  }
  return [...folders].map(([leak, [example = '', ...more]]) => {
    return `${countOf(more.length + 1, 'trial')}: ${leak}: ${example}`;
  });
});
