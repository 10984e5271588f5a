import { sum } from './money.mjs';

/** Splits an amount into equal shares; what does not divide goes to the first ones, a cent each. */
export function splitEvenly(cents, people) {
  return splitByWeight(
    cents,
    people.map((name) => [name, 1]),
  );
}

/**
 * Splits an amount in proportion to weights, in whole cents. Every share is rounded down first; the
 * cents that are left go to the largest remainders, so that the shares add up to the amount.
 */
export function splitByWeight(cents, weights) {
  const totalWeight = sum(weights.map(([, weight]) => weight));
  if (!(totalWeight > 0)) throw new RangeError('the weights must add up to more than 0');
  const shares = weights.map(([name, weight]) => {
    const exact = (cents * weight) / totalWeight;
    return { name, cents: Math.floor(exact), remainder: exact - Math.floor(exact) };
  });
  const left = cents - sum(shares.map((share) => share.cents));
  const byRemainder = [...shares].sort((a, b) => b.remainder - a.remainder);
  for (const share of byRemainder.slice(0, left)) share.cents += 1;
  return new Map(shares.map((share) => [share.name, share.cents]));
}
