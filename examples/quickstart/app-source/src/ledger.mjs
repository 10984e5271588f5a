import { isDay, isWithin, monthRange } from './calendar.mjs';
import { sum } from './money.mjs';
import { splitByWeight, splitEvenly } from './split.mjs';

/** Shared expenses of a household: who paid, and for whom. */
export class Ledger {
  #expenses = [];

  /** `sharers` is a list of names, or a list of `[name, weight]` pairs. */
  add({ day, payer, cents, sharers, what }) {
    if (!isDay(day)) throw new RangeError(`not a day: ${day}`);
    if (!Number.isInteger(cents) || cents <= 0) throw new RangeError(`not an expense: ${cents}`);
    const weighted = sharers.some((sharer) => Array.isArray(sharer));
    const shares = weighted ? splitByWeight(cents, sharers) : splitEvenly(cents, sharers);
    this.#expenses.push({ day, payer, cents, what, shares });
    return this;
  }

  /** Expenses of a month, oldest first. */
  ofMonth(month) {
    const range = monthRange(month);
    return this.#expenses
      .filter((expense) => isWithin(expense.day, range))
      .sort((a, b) => a.day.localeCompare(b.day));
  }

  totalOfMonth(month) {
    return sum(this.ofMonth(month).map((expense) => expense.cents));
  }

  /** What each person is owed (positive) or owes (negative); adds up to 0. */
  balances() {
    const balances = new Map();
    const add = (name, cents) => balances.set(name, (balances.get(name) ?? 0) + cents);
    for (const expense of this.#expenses) {
      add(expense.payer, expense.cents);
      for (const [name, share] of expense.shares) add(name, -share);
    }
    return balances;
  }
}
