import { kendallTest } from '../../domain/statistics/kendall.js';
import { blockRule, startedTrials } from './flag-types.js';

/** Where nothing is declared: what an agent reads and how long it takes drift with a provider's changes. */
const WATCHED = ['total_input_tokens', 'wall_seconds'];

/** The metrics that drift is looked for in. */
export function driftMetrics(primary: readonly string[]): readonly string[] {
  return primary.length > 0 ? primary : WATCHED;
}

/** A value that rises or falls with the start time inside one cell, where nothing should change it. */
export const drift = blockRule('drift', ({ arms }, alpha) =>
  arms.flatMap((arm) => {
    const trials = startedTrials(arm);
    const metrics = new Set(trials.flatMap(({ values }) => Object.keys(values)));
    return [...metrics].flatMap((metric) => {
      const observations = trials.flatMap(({ startedAtMs, values: { [metric]: value } }) =>
        value === undefined ? [] : [{ time: startedAtMs, value }],
      );
      const test = kendallTest(observations);
      if (test === null || test.p > alpha) return [];
      const direction = test.tau > 0 ? 'rises' : 'falls';
      return [
        `${metric} ${direction} with the time in ${arm.condition} ` +
          `(Kendall tau ${test.tau.toFixed(2)}, n ${test.n}, p ${test.p.toPrecision(2)})`,
      ];
    });
  }),
);
