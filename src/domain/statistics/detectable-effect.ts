/** How large a difference has to be for an experiment of this size to see it. */

import { seededBits, unit, type RandomBits } from '../random/seeded-bits.js';
import { rankSumCutoff } from './rank-sum-cutoff.js';
import { normalCdf, normalQuantile } from './normal.js';

/** Used where the experiment file sets no `alpha`. */
export const DEFAULT_ALPHA = 0.05;

export const PLANNED_POWER = 0.8;

/** Assumed standard deviation of ln(value) inside a cell: published trials have 0.2 to 0.3 for tokens. */
export const ASSUMED_LN_SD = 0.25;

const SIMULATED_STUDIES = 2_000;
const LARGEST_SIMULATED_ARM = 30;

/**
 * Increase (in percent) of the treatment's typical value that the two-sided rank-sum test at `alpha`
 * finds with probability {@link PLANNED_POWER}, n results against n, assuming log-normal values with
 * standard deviation `lnSd` of ln(value). Null when the test cannot reach `alpha`, or with fewer than
 * 4 results per arm.
 */
export function detectableEffectPercent(
  perArm: number,
  alpha: number = DEFAULT_ALPHA,
  lnSd: number = ASSUMED_LN_SD,
): number | null {
  if (perArm < 4) return null;
  const shift =
    perArm <= LARGEST_SIMULATED_ARM ? simulatedShift(perArm, alpha) : noetherShift(perArm, alpha);
  return shift === null ? null : (Math.exp(shift * lnSd) - 1) * 100;
}

/**
 * Probability that the two-sided rank-sum test at `alpha`, n results against n, finds a treatment whose
 * typical value is `percent` higher; assumptions as in {@link detectableEffectPercent}, of which it is
 * the inverse. Null where the test cannot reach `alpha`.
 */
export function rankSumPower(
  perArm: number,
  percent: number,
  alpha: number = DEFAULT_ALPHA,
  lnSd: number = ASSUMED_LN_SD,
): number | null {
  const shift = Math.abs(Math.log(1 + percent / 100)) / lnSd;
  if (perArm > LARGEST_SIMULATED_ARM) {
    const superiority = normalCdf(shift / Math.SQRT2);
    return normalCdf((superiority - 0.5) * Math.sqrt(6 * perArm) - normalQuantile(1 - alpha / 2));
  }
  const needed = neededShifts(perArm, alpha);
  if (needed === null) return null;
  return needed.filter((enough) => enough <= shift).length / needed.length;
}

function simulatedShift(perArm: number, alpha: number): number | null {
  return neededShifts(perArm, alpha)?.[Math.ceil(PLANNED_POWER * SIMULATED_STUDIES) - 1] ?? null;
}

/**
 * Shift in standard deviations from which each study finds the difference, ascending; exact but for the
 * number of simulated studies. U is at most u once the shift exceeds all but u of the differences a − b;
 * so a study needs the (u + 1)th largest a − b of arms that don't differ, and the shift with 80 % power
 * is the 80 % quantile. Study k is the same in every call and only grows with the arms, so that more
 * results never look worse.
 */
function neededShifts(perArm: number, alpha: number): Float64Array | null {
  const cutoff = rankSumCutoff(perArm, perArm, alpha);
  if (cutoff === null) return null;
  return Float64Array.from({ length: SIMULATED_STUDIES }, (_, study) => {
    const differences = studyDifferences(perArm, seededBits(`study ${study}`));
    return differences[differences.length - 1 - cutoff.u] ?? Infinity;
  }).sort();
}

/** All a − b in ascending order. */
function studyDifferences(perArm: number, bits: RandomBits): Float64Array {
  const a = new Float64Array(perArm);
  const b = new Float64Array(perArm);
  for (let trial = 0; trial < perArm; trial++) {
    a[trial] = normalDraw(bits);
    b[trial] = normalDraw(bits);
  }
  const differences = new Float64Array(perArm * perArm);
  let filled = 0;
  for (const valueA of a) for (const valueB of b) differences[filled++] = valueA - valueB;
  return differences.sort();
}

/** Box–Muller transform. */
function normalDraw(bits: RandomBits): number {
  return Math.sqrt(-2 * Math.log(unit(bits))) * Math.cos(2 * Math.PI * unit(bits));
}

/**
 * Shift in standard deviations by G. E. Noether, "Sample size determination for some common
 * nonparametric tests", JASA 82, 1987: P(b > a) = 1/2 + (z(1−α/2) + z(power)) / √(6 n) for equal arms,
 * and P(b > a) = Φ(shift / √2). For small arms it asks for far too much (n = 5: no shift is enough,
 * where 2.3 standard deviations are), hence the simulation above.
 */
export function noetherShift(perArm: number, alpha: number): number | null {
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(PLANNED_POWER);
  const superiority = 0.5 + z / Math.sqrt(6 * perArm);
  return superiority >= 1 ? null : Math.SQRT2 * normalQuantile(superiority);
}
