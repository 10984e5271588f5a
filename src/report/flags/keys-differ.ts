import { blockRule, countOf, type FlaggedArm, type FlaggedTrial } from './flag-types.js';

/** Keys of meta.json that say by being there that something happened. */
const TELLING = new Set(['aborted', 'detail', 'loud', 'output_limited', 'oom_killed']);

/** Trials of one cell that were recorded, or asked, in different ways. */
export const keysDiffer = blockRule('keys-differ', ({ arms }) =>
  arms.flatMap((arm) => [
    ...missingKeys(arm, 'meta.json', (trial) => trial.metaKeys),
    ...missingKeys(arm, 'metrics.json', (trial) => trial.metricsKeys),
    ...severalPrompts(arm),
  ]),
);

function missingKeys(
  { condition, trials }: FlaggedArm,
  file: string,
  keysOf: (trial: FlaggedTrial) => readonly string[] | null,
): readonly string[] {
  const counts = new Map<string, number>();
  const listed = trials.map(keysOf).filter((keys) => keys !== null);
  for (const key of listed.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const partly = [...counts].filter(([key, n]) => n < listed.length && !TELLING.has(key));
  if (partly.length === 0) return [];
  const keys = partly.map(([key, n]) => `${key} (${n})`).sort();
  return [
    `${file} of ${condition}: not all of ${countOf(listed.length, 'trial')} have ${keys.join(', ')}`,
  ];
}

function severalPrompts({ condition, trials }: FlaggedArm): readonly string[] {
  const prompts = new Set(trials.map((trial) => trial.promptSha256));
  return prompts.size > 1 ? [`${condition}: ${prompts.size} different prompts`] : [];
}
