import { describe, expect, it } from '@jest/globals';
import { NO_FILTERS, type Cell } from '../../../../src/domain/plan/cell.js';
import { planBasis } from '../../../../src/domain/plan/plan-basis.js';
import { planCells } from '../../../../src/domain/plan/plan-cells.js';
import { markDone, pendingCells, placeKey } from '../../../../src/domain/plan/progress.js';
import { experimentOf } from '../../../fixtures/plan-experiment.js';

function cellsOf(repeats: number): readonly Cell[] {
  const plan = planCells(experimentOf({ conditions: ['a', 'b'], repeats }), NO_FILTERS);
  return plan.ok ? plan.cells : [];
}

/** Order of three repeats: a1 b1 | b2 a2 | a3 b3. */
const TABLE = [
  {
    counted: { a: 0, b: 0 },
    done: [false, false, false, false, false, false],
    pending: [1, 2, 3, 4, 5, 6],
  },
  {
    counted: { a: 1, b: 0 },
    done: [true, false, false, false, false, false],
    pending: [2, 3, 4, 5, 6],
  },
  { counted: { a: 2, b: 1 }, done: [true, true, false, true, false, false], pending: [3, 5, 6] },
  { counted: { a: 3, b: 3 }, done: [true, true, true, true, true, true], pending: [] },
  { counted: { a: 9, b: 2 }, done: [true, true, true, true, true, false], pending: [6] },
] as const;

describe('markDone and pendingCells', () => {
  it.each(TABLE)(
    'with $counted counted results $pending are pending',
    ({ counted, done, pending }) => {
      const plan = markDone(cellsOf(3), (place) => counted[place.condition as 'a' | 'b']);
      expect(plan.map((cell) => cell.index)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(plan.map((cell) => cell.done)).toEqual(done);
      expect(pendingCells(plan, false).map((cell) => cell.index)).toEqual(pending);
    },
  );

  it('takes every cell again with redo', () => {
    const plan = markDone(cellsOf(2), () => 2);
    expect(pendingCells(plan, true)).toEqual(plan);
  });
});

describe('placeKey', () => {
  it('differs for names that only look alike when joined', () => {
    const one = placeKey({ task: 'a/b', agent: 'c', condition: 'd' });
    const two = placeKey({ task: 'a', agent: 'b/c', condition: 'd' });
    expect(one).not.toBe(two);
  });
});

describe('planBasis', () => {
  const cells = cellsOf(1);

  it('is the same whatever the order in which the facts are found', () => {
    const one = planBasis(cells, { prompt: '1', experiment: '2' });
    expect(planBasis(cells, { experiment: '2', prompt: '1' })).toBe(one);
  });

  it('changes with the order of the cells, a repeat, and any fact', () => {
    const bases = [
      planBasis(cells, { prompt: '1' }),
      planBasis([...cells].reverse(), { prompt: '1' }),
      planBasis(
        cells.map((cell) => ({ ...cell, repeat: 2 })),
        { prompt: '1' },
      ),
      planBasis(cells, { prompt: '2' }),
      planBasis(cells, {}),
    ];
    expect(new Set(bases).size).toBe(bases.length);
  });

  it('does not depend on what is done', () => {
    expect(
      planBasis(
        markDone(cells, () => 1),
        {},
      ),
    ).toBe(
      planBasis(
        markDone(cells, () => 0),
        {},
      ),
    );
  });
});
