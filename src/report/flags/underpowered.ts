import { smallestRankSumP } from '../../domain/statistics/smallest-p.js';
import { armPairs, blockRule } from './flag-types.js';

/** Arms with too few passed trials for any result to be significant. */
export const underpowered = blockRule('underpowered', ({ arms }, alpha) =>
  armPairs(arms).flatMap(([a, b]) => {
    const counts = `${a.passed} passed in ${a.condition}, ${b.passed} in ${b.condition}`;
    const smallest = smallestRankSumP(a.passed, b.passed);
    if (smallest === null) return [`${counts}: nothing to compare`];
    if (smallest <= alpha) return [];
    const p = smallest.toPrecision(2);
    return [`${counts}: the smallest p is ${p}, so that no result can reach alpha ${alpha}`];
  }),
);
