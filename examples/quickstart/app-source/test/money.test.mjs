import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAmount, parseAmount } from '../src/money.mjs';

describe('money', () => {
  it('reads amounts as cents', () => {
    assert.deepEqual(['12', '12.30', '-0.05', '0'].map(parseAmount), [1200, 1230, -5, 0]);
  });

  it('refuses what is not an amount', () => {
    for (const text of ['', '1.2', 'abc', '1,50']) {
      assert.throws(() => parseAmount(text), /not an amount/);
    }
  });

  it('writes what it reads', () => {
    for (const text of ['12.30', '-0.05', '0.00']) {
      assert.equal(formatAmount(parseAmount(text)), text);
    }
  });
});
