import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareArms, type ArmsOfTask } from '../../../../src/report/compare/compare-arms.js';
import { sampleComparer } from '../../../../src/report/compare/compare-samples.js';
import { compareTable, type TableRow } from '../../../../src/report/compare/compare-table.js';
import { rankSumTest } from '../../../../src/domain/statistics/rank-sum.js';

type Values = Readonly<Record<string, readonly number[]>>;

function arms(agent: string, task: string, values: Values): ArmsOfTask {
  return { agent, task, values: (condition, metric) => values[`${condition} ${metric}`] ?? [] };
}

const SCOPE = { conditions: ['a', 'b'], metrics: ['x'], primary: [], alpha: 0.05 };

describe('sampleComparer', () => {
  it('gives the shift in percent as the shift of the logarithms', () => {
    const a = [100, 110, 120, 130, 140];
    const doubled = sampleComparer()(
      a,
      a.map((value) => 2 * value),
    );
    expect(doubled.shiftPercent).toBeCloseTo(100, 10);
    expect(doubled.ciPercent?.lo).toBeGreaterThan(0);
    expect(doubled.ci).toMatchObject({ k: 3 });
    expect(sampleComparer()([0, 1, 2, 3], [4, 5, 6, 7])).toMatchObject({
      shiftPercent: null,
      ciPercent: null,
      hodgesLehmann: 4,
    });
  });

  it('gives nulls for an empty arm, and the median of the other one', () => {
    expect(sampleComparer()([], [80, 82])).toEqual({
      nA: 0,
      nB: 2,
      medianA: null,
      medianB: 81,
      percentChange: null,
      u: null,
      p: null,
      pFraction: null,
      pMethod: null,
      minP: null,
      hodgesLehmann: null,
      ci: null,
      shiftPercent: null,
      ciPercent: null,
      cliffsDelta: null,
    });
  });

  it('says the same whatever it compared before', () => {
    const compare = sampleComparer();
    const arm = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        expect(compare(a, b)).toMatchObject({ ...rankSumTest(a, b) });
      }),
    );
  });

  it('approximates, and says so, what would take too long', () => {
    const values = Array.from({ length: 700 }, (_, index) => (index * 389) % 1_009);
    const moved = values.map((value) => value + 20);
    const comparison = sampleComparer()(values, moved);
    expect(comparison).toMatchObject({ pMethod: 'normal', pFraction: null, hodgesLehmann: 20 });
    expect(comparison.ci?.lo).toBeLessThan(20);
    expect(comparison.ci?.hi).toBeGreaterThan(20);
  });
});

describe('compareArms', () => {
  it('compares every pair by every metric inside a task, in the order given', () => {
    const { comparisons } = compareArms(
      [arms('m', 't1', { 'a x': [1], 'b x': [2] }), arms('m', 't2', { 'c y': [3] })],
      { ...SCOPE, conditions: ['b', 'a', 'c'], metrics: ['x', 'y'] },
    );
    expect(comparisons.map((row) => [row.task, row.metric, row.a, row.b].join(' '))).toEqual(
      ['t1', 't2'].flatMap((task) =>
        ['x', 'y'].flatMap((metric) =>
          ['b a', 'b c', 'a c'].map((pair) => `${task} ${metric} ${pair}`),
        ),
      ),
    );
    expect(comparisons[0]).toMatchObject({ medianA: 2, medianB: 1, verdict: 'inconclusive' });
    expect(comparisons[1]).toMatchObject({ nB: 0, p: null, holmP: null, verdict: 'no-data' });
  });

  it('never pools tasks: what one task adds to all its values changes nothing', () => {
    const task = (by: number): ArmsOfTask =>
      arms('m', `t${by}`, {
        'a x': [1, 2, 3, 4].map((value) => value + by),
        'b x': [3, 5, 6, 7].map((value) => value + by),
      });
    const together = compareArms([task(0), task(1_000)], SCOPE);
    const near = compareArms([task(0), task(1)], SCOPE);
    expect(together.blocked).toEqual(near.blocked);
    expect(together.blocked).toEqual([expect.objectContaining({ agent: 'm', tasks: 2 })]);
    expect(together.signTests).toEqual(near.signTests);
  });

  it('never pools agents, and leaves out tasks without both arms', () => {
    const { signTests, blocked } = compareArms(
      [
        arms('m', 't1', { 'a x': [1], 'b x': [2] }),
        arms('m', 't2', { 'b x': [2] }),
        arms('n', 't1', { 'a x': [2], 'b x': [1] }),
      ],
      SCOPE,
    );
    expect(signTests).toEqual([
      expect.objectContaining({ agent: 'm', wins: 1, losses: 0, n: 1, p: 1 }),
      expect.objectContaining({ agent: 'n', wins: 0, losses: 1, n: 1, p: 1 }),
    ]);
    expect(blocked.map(({ agent, tasks }) => `${agent} ${tasks}`)).toEqual(['m 1', 'n 1']);
  });

  it('adjusts over the primary metrics where they are declared, else over all', () => {
    const apart = { 'a x': [1, 2, 3, 4, 5], 'b x': [6, 7, 8, 9, 10] };
    const values = { ...apart, 'a y': [1, 2, 3, 4, 5], 'b y': [6, 7, 8, 9, 10] };
    const scope = { ...SCOPE, metrics: ['x', 'y'] };
    const p = 2 / 252;
    const all = compareArms([arms('m', 't', values)], scope).comparisons;
    expect(all.map(({ holmP }) => holmP)).toEqual([2 * p, 2 * p]);
    const declared = compareArms([arms('m', 't', values)], { ...scope, primary: ['x'] });
    expect(declared.comparisons.map(({ holmP }) => holmP)).toEqual([p, null]);
    const strict = compareArms([arms('m', 't', values)], { ...scope, alpha: 0.01 }).comparisons;
    expect(all.map(({ verdict }) => verdict)).toEqual(['higher', 'higher']);
    expect(strict.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
  });
});

describe('compareTable', () => {
  const row = (group: string, value: number | null, block: string | null = null): TableRow => {
    return { group, value, block };
  };
  const question = { metric: 'seconds', a: 'old', b: 'new', alpha: 0.05 };

  it('compares two groups of a table without blocks', () => {
    const rows = [1, 2, 3, 4].flatMap((v) => [row('old', v + 10), row('new', v), row('third', 99)]);
    const result = compareTable([...rows, row('old', null)], question);
    expect(result.comparisons).toEqual([
      expect.objectContaining({
        agent: null,
        task: null,
        metric: 'seconds',
        a: 'old',
        b: 'new',
        nA: 4,
        nB: 4,
        pFraction: '2/70',
        hodgesLehmann: -10,
        verdict: 'lower',
      }),
    ]);
    expect([result.signTests, result.blocked]).toEqual([[], []]);
  });

  it('compares inside blocks, then over them', () => {
    const rows = ['x', 'y'].flatMap((block, index) =>
      [1, 2, 3].flatMap((v) => [row('old', v + 9 * index, block), row('new', v + 0.5, block)]),
    );
    const { comparisons, signTests, blocked } = compareTable(rows, question);
    expect(comparisons.map(({ task, medianA }) => `${task ?? ''} ${medianA ?? ''}`)).toEqual([
      'x 2',
      'y 11',
    ]);
    expect(signTests).toEqual([expect.objectContaining({ wins: 1, losses: 1 })]);
    expect(blocked).toEqual([expect.objectContaining({ tasks: 2 })]);
  });

  it('has a row of nulls for groups that are not there', () => {
    expect(compareTable([row('third', 1)], question).comparisons).toEqual([
      expect.objectContaining({ nA: 0, nB: 0, p: null, verdict: 'no-data' }),
    ]);
  });
});
