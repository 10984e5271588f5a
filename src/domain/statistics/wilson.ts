import { normalQuantile } from './normal.js';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Interval for a proportion that stays honest near 0 and 1 and for small n. Null without trials.
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22,
 * 1927 (R: `prop.test(passed, n, correct = FALSE)`).
 * @param confidence share of intervals that hold the true rate, @defaultValue 0.95
 */
export function wilsonInterval(passed: number, n: number, confidence = 0.95): Interval | null {
  if (n === 0) return null;
  const z = normalQuantile(0.5 + confidence / 2);
  const rate = passed / n;
  const scale = 1 + (z * z) / n;
  const centre = (rate + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))) / scale;
  return {
    // Exactly 0 and 1 at the ends, where rounding would leave a trace.
    low: passed === 0 ? 0 : centre - half,
    high: passed === n ? 1 : centre + half,
  };
}
