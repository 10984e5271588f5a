import { fisherExactP } from '../../domain/statistics/fisher-exact.js';
import { armPairs, blockRule, type FlaggedArm } from './flag-types.js';

/** Small arms can't show an imbalance to Fisher's test: so much of a difference is named all the same. */
const SUSPICIOUS_DIFFERENCE = 0.2;
const FEWEST_MORE = 2;

/** Void attempts that fall on one arm more than on the other: whatever causes them may select the results. */
export const voidImbalance = blockRule('void-imbalance', ({ arms }, alpha) =>
  armPairs(arms).flatMap(([a, b]) => {
    const [voidsA, voidsB] = [voidsOf(a), voidsOf(b)];
    const p = fisherExactP(voidsA, voidsB);
    if (p === null) return [];
    const difference = voidsA.passed / voidsA.n - voidsB.passed / voidsB.n;
    const isLarge =
      Math.abs(difference) >= SUSPICIOUS_DIFFERENCE &&
      Math.abs(voidsA.passed - voidsB.passed) >= FEWEST_MORE;
    if (p > alpha && !isLarge) return [];
    return [
      `void attempts: ${voidsA.passed} of ${voidsA.n} in ${a.condition}, ` +
        `${voidsB.passed} of ${voidsB.n} in ${b.condition} (Fisher p ${p.toPrecision(2)})`,
    ];
  }),
);

/** Void attempts among all that ended void or with a result, in the words of Fisher's test. */
function voidsOf(arm: FlaggedArm): { readonly passed: number; readonly n: number } {
  return { passed: arm.void, n: arm.void + arm.n };
}
