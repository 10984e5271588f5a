import { armPairs, blockRule, isoSeconds, startedTrials, type FlaggedArm } from './flag-types.js';

/** Two arms of 2 trials or more, one of which had started its last trial before the other started at all. */
export const noTimeOverlap = blockRule('no-time-overlap', ({ arms }) =>
  armPairs(arms).flatMap(([a, b]) => {
    const [first, second] = [startRange(a), startRange(b)].sort((x, y) => x.from - y.from);
    if (first === undefined || second === undefined) return [];
    if (Math.min(first.n, second.n) < 2 || second.from <= first.to) return [];
    return [
      `the last ${first.condition} trial started at ${isoSeconds(first.to)}, ` +
        `the first ${second.condition} trial at ${isoSeconds(second.from)}`,
    ];
  }),
);

interface StartRange {
  readonly condition: string;
  readonly n: number;
  readonly from: number;
  readonly to: number;
}

function startRange(arm: FlaggedArm): StartRange {
  const starts = startedTrials(arm).map((trial) => trial.startedAtMs);
  const { condition } = arm;
  return { condition, n: starts.length, from: Math.min(...starts), to: Math.max(...starts) };
}
