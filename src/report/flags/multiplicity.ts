import { blockRule } from './flag-types.js';

/** Comparisons that look significant alone, but not among all that were made. */
export const multiplicity = blockRule('multiplicity', ({ comparisons }, alpha) =>
  comparisons.flatMap(({ metric, a, b, p, holmP }) => {
    if (p === null || holmP === null || p > alpha || holmP <= alpha) return [];
    return [
      `${metric}, ${b} against ${a}: p ${p.toPrecision(2)} is ${holmP.toPrecision(2)} ` +
        `when adjusted for all comparisons of the family (Holm)`,
    ];
  }),
);
