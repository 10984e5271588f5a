import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sum } from '../src/money.mjs';
import { splitByWeight, splitEvenly } from '../src/split.mjs';

describe('split', () => {
  it('gives everyone the same when it divides', () => {
    assert.deepEqual([...splitEvenly(900, ['ana', 'bo', 'cy']).values()], [300, 300, 300]);
  });

  it('gives the cent that does not divide to the first', () => {
    assert.deepEqual([...splitEvenly(1000, ['ana', 'bo', 'cy']).values()], [334, 333, 333]);
  });

  it('adds up to the amount for any number of people', () => {
    const names = ['ana', 'bo', 'cy', 'di', 'ed', 'flo', 'gus'];
    for (let people = 1; people <= names.length; people += 1) {
      for (const cents of [1, 99, 100, 101, 999, 12_345]) {
        const shares = splitEvenly(cents, names.slice(0, people));
        assert.equal(sum([...shares.values()]), cents, `${cents} cents among ${people}`);
      }
    }
  });

  it('gives the cents that are left to the largest remainders', () => {
    const shares = splitByWeight(100, [
      ['ana', 3],
      ['bo', 3],
      ['cy', 1],
    ]);
    assert.deepEqual(Object.fromEntries(shares), { ana: 43, bo: 43, cy: 14 });
  });

  it('refuses weights that add up to nothing', () => {
    assert.throws(() => splitByWeight(100, [['ana', 0]]), /more than 0/);
  });
});
