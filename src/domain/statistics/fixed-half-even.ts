/**
 * A number with a fixed count of decimals as C and Ruby print it (`%.3f`): exact halves go to the even
 * neighbour, where `toFixed` takes the larger one. 0.0625, the p of five wins in five, is `0.062`.
 * @param digits decimals, 0 to 20
 */
export function fixedHalfEven(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const isRoundedAway = isHalf(Math.abs(value), digits) && /[13579]$/.test(text);
  const rounded = isRoundedAway ? oneLess(text) : text;
  // C keeps the sign of what rounds to 0; toFixed does too, but for −0 itself.
  return Object.is(value, -0) ? `-${rounded}` : rounded;
}

/** `+12%`, as `%+.0f%%` prints it. */
export function signedPercent(value: number): string {
  const text = fixedHalfEven(value, 0);
  return `${text.startsWith('-') ? '' : '+'}${text}%`;
}

/** Whether the exact binary value lies in the middle: (2k + 1) / (2 · 10^digits) is binary for 5^digits | 2k + 1. */
function isHalf(value: number, digits: number): boolean {
  const doubled = 2 * value * 10 ** digits;
  const fives = 5 ** digits;
  if (!Number.isSafeInteger(doubled) || doubled % 2 !== 1 || doubled % fives !== 0) return false;
  return doubled / fives / 2 ** (digits + 1) === value;
}

/** An odd last digit is at least 1: nothing has to be borrowed. */
function oneLess(text: string): string {
  return text.slice(0, -1) + String(Number(text.slice(-1)) - 1);
}
