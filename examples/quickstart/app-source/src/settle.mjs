/** The payments that bring every balance to 0: the largest debt pays the largest credit first. */
export function settle(balances) {
  const open = [...balances].map(([name, cents]) => ({ name, cents }));
  const payments = [];
  for (;;) {
    open.sort((a, b) => a.cents - b.cents || a.name.localeCompare(b.name));
    const debtor = open[0];
    const creditor = open.at(-1);
    if (debtor === undefined || debtor.cents >= 0 || creditor.cents <= 0) return payments;
    const cents = Math.min(-debtor.cents, creditor.cents);
    payments.push({ from: debtor.name, to: creditor.name, cents });
    debtor.cents += cents;
    creditor.cents -= cents;
  }
}
