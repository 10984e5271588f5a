/**
 * Standard normal distribution function (R: `pnorm`), to about 1e-15. Series of G. Marsaglia,
 * "Evaluating the Normal Distribution", Journal of Statistical Software 11(4), 2004.
 */
export function normalCdf(x: number): number {
  // Beyond 8 standard deviations the tail is below 1e-15 and the series only adds rounding.
  if (x < -8) return 0;
  if (x > 8) return 1;
  let term = x;
  let sum = x;
  for (let odd = 3, before = 0; sum !== before; odd += 2) {
    before = sum;
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The x with `normalCdf(x) = p` (R: `qnorm`), by bisection. `p` lies strictly between 0 and 1. */
export function normalQuantile(p: number): number {
  let low = -8;
  let high = 8;
  // 60 halvings leave less than the distance between two neighbouring doubles near 1.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
