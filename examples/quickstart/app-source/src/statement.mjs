import { formatAmount } from './money.mjs';

/** A month as text, one line an expense and the total below. */
export function statement(ledger, month) {
  const lines = ledger
    .ofMonth(month)
    .map(({ day, payer, cents, what }) => `${day}  ${formatAmount(cents)}  ${payer}: ${what}`);
  return [`# ${month}`, ...lines, `total  ${formatAmount(ledger.totalOfMonth(month))}`].join('\n');
}
