import {
  countOf,
  startedTrials,
  type Flag,
  type FlaggedBlock,
  type FlagRule,
} from './flag-types.js';

/** Times are kept to the second: what looks like less than this may not have been at the same time. */
const RESOLUTION_MS = 1_000;

/**
 * Trials that ran at the same time share a machine, and their seconds say little. One flag for each agent
 * and task that has some, whatever they ran beside.
 */
export const overlappingTrials: FlagRule = ({ blocks }) => {
  const trials = blocks
    .flatMap((block) => block.arms.flatMap((arm) => startedTrials(arm).map(withBlock(block))))
    .sort((x, y) => x.startedAtMs - y.startedAtMs);
  const found = new Map<FlaggedBlock, Set<string>>();
  /** The one that ends last among those that have started. */
  let latest: (typeof trials)[number] | null = null;
  for (const trial of trials) {
    if (latest !== null && trial.startedAtMs < (latest.endedAtMs ?? 0) - RESOLUTION_MS) {
      for (const { block, folder } of [latest, trial]) {
        found.set(block, (found.get(block) ?? new Set()).add(folder));
      }
    }
    if (latest === null || (trial.endedAtMs ?? 0) > (latest.endedAtMs ?? 0)) latest = trial;
  }
  return blocks.flatMap((block): readonly Flag[] => {
    const [example, ...more] = found.get(block) ?? [];
    if (example === undefined) return [];
    const message = `${countOf(more.length + 1, 'trial')} ran at the same time as another: ${example}`;
    return [{ code: 'overlapping-trials', message, agent: block.agent, task: block.task }];
  });
};

function withBlock(
  block: FlaggedBlock,
): <T extends object>(trial: T) => T & { block: FlaggedBlock } {
  return (trial) => ({ ...trial, block });
}
