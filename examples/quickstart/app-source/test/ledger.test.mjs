import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger } from '../src/ledger.mjs';
import { statement } from '../src/statement.mjs';

const flat = ['ana', 'bo'];
const expense = (day, cents, what = 'food') => ({ day, payer: 'ana', cents, sharers: flat, what });

describe('ledger', () => {
  it('counts every day of a month, the first and the last too', () => {
    const ledger = new Ledger()
      .add(expense('2024-01-31', 100))
      .add(expense('2024-02-01', 200))
      .add(expense('2024-02-29', 400))
      .add(expense('2024-03-01', 800));
    assert.equal(ledger.totalOfMonth('2024-02'), 600);
  });

  it('closes the year on the last day of December', () => {
    const ledger = new Ledger().add(expense('2024-12-31', 500)).add(expense('2025-01-01', 700));
    assert.equal(ledger.totalOfMonth('2024-12'), 500);
    assert.equal(ledger.totalOfMonth('2025-01'), 700);
  });

  it('lists a month in order with its total', () => {
    const ledger = new Ledger()
      .add(expense('2024-02-20', 1250, 'gas'))
      .add(expense('2024-02-03', 899));
    assert.equal(
      statement(ledger, '2024-02'),
      '# 2024-02\n2024-02-03  8.99  ana: food\n2024-02-20  12.50  ana: gas\ntotal  21.49',
    );
  });

  it('refuses days that do not exist', () => {
    assert.throws(() => new Ledger().add(expense('2024-02-30', 100)), /not a day/);
  });
});
