/** Amounts are whole cents everywhere inside the program; text only at its edge. */

const AMOUNT = /^(-?)(\d+)(?:\.(\d{2}))?$/;

/** `12`, `12.30` or `-0.05` as cents. */
export function parseAmount(text) {
  const match = AMOUNT.exec(text.trim());
  if (match === null) throw new RangeError(`not an amount: ${text}`);
  const [, sign, whole, cents = '00'] = match;
  const value = Number(whole) * 100 + Number(cents);
  return sign === '-' && value !== 0 ? -value : value;
}

export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : '';
  const absolute = Math.abs(cents);
  const whole = Math.floor(absolute / 100);
  return `${sign}${whole}.${String(absolute % 100).padStart(2, '0')}`;
}

export function sum(amounts) {
  return amounts.reduce((total, amount) => total + amount, 0);
}
