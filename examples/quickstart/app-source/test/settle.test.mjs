import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger } from '../src/ledger.mjs';
import { settle } from '../src/settle.mjs';

describe('settle', () => {
  it('pays the largest debt to the largest credit first', () => {
    const ledger = new Ledger()
      .add({
        day: '2024-05-01',
        payer: 'ana',
        cents: 9000,
        sharers: ['ana', 'bo', 'cy'],
        what: 'rent',
      })
      .add({ day: '2024-05-02', payer: 'bo', cents: 1000, sharers: ['bo', 'cy'], what: 'bread' });
    assert.deepEqual(settle(ledger.balances()), [
      { from: 'cy', to: 'ana', cents: 3500 },
      { from: 'bo', to: 'ana', cents: 2500 },
    ]);
  });

  it('has nothing to pay when nobody owes anything', () => {
    assert.deepEqual(settle(new Map([['ana', 0]])), []);
  });
});
