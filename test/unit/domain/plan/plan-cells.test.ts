import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Experiment } from '../../../../src/domain/experiment/experiment.js';
import { NO_FILTERS, type Cell, type GridFilters } from '../../../../src/domain/plan/cell.js';
import { planCells } from '../../../../src/domain/plan/plan-cells.js';
import { experimentOf } from '../../../fixtures/plan-experiment.js';

/** The rules once more, place by place: what runs at (task, repeat, agent, slot)? */
function naivePlan(experiment: Experiment, filters: GridFilters): readonly string[] {
  const rows: string[] = [];
  let rank = -1;
  for (const task of experiment.tasks) {
    if (filters.app !== null && filters.app !== task.app) continue;
    if (filters.task !== null && filters.task !== task.id) continue;
    rank += 1;
    const names = filters.agents.length ? filters.agents : experiment.agents.map((a) => a.name);
    for (let repeat = 1; repeat <= experiment.repeats; repeat += 1) {
      for (const agent of names) {
        for (let slot = 0; slot < experiment.conditions.length; slot += 1) {
          const turn = (slot + rank + (repeat - 1)) % experiment.conditions.length;
          rows.push([task.id, agent, experiment.conditions[turn], repeat].join('/'));
        }
      }
    }
  }
  return rows;
}

function asRows(cells: readonly Cell[]): readonly string[] {
  return cells.map((cell) => [cell.task, cell.agent, cell.condition, cell.repeat].join('/'));
}

function cellsOf(experiment: Experiment, filters: GridFilters = NO_FILTERS): readonly Cell[] {
  const plan = planCells(experiment, filters);
  if (!plan.ok) throw new Error(`no plan: ${plan.problem.kind}`);
  return plan.cells;
}

const names = (prefix: string, max: number): fc.Arbitrary<string[]> =>
  fc.integer({ min: 1, max }).map((n) => Array.from({ length: n }, (_, i) => `${prefix}${i + 1}`));

const shapes = fc.record({
  tasks: names('t', 7).chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.constantFrom('shop', 'blog', 'wiki').map((app) => `${app}:${id}`)),
    ),
  ),
  agents: names('a', 4).map((ids) => Object.fromEntries(ids.map((id) => [id, 'nop' as const]))),
  conditions: names('c', 5),
  repeats: fc.integer({ min: 1, max: 4 }),
});

/** Filters of which some leave nothing. */
const filtersFor = (experiment: Experiment): fc.Arbitrary<GridFilters> =>
  fc.record({
    app: fc.option(fc.constantFrom('shop', 'blog', 'wiki')),
    task: fc.option(fc.constantFrom(...experiment.tasks.map((task) => task.id))),
    agents: fc.shuffledSubarray(experiment.agents.map((agent) => agent.name)),
  });

const cases = shapes.chain((shape) => {
  const experiment = experimentOf(shape);
  return filtersFor(experiment).map((filters) => ({ experiment, filters }));
});

describe('planCells', () => {
  it('gives the order of the seed for any experiment and filters', () => {
    fc.assert(
      fc.property(cases, ({ experiment, filters }) => {
        const expected = naivePlan(experiment, filters);
        const plan = planCells(experiment, filters);
        if (expected.length === 0) {
          expect(plan).toEqual({ ok: false, problem: { kind: 'no-tasks-match', filters } });
        } else {
          expect(plan.ok && asRows(plan.cells)).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('blocks by task, then agent, and rotates the conditions from task to task', () => {
    const experiment = experimentOf({
      tasks: ['x', 'y'],
      agents: { oracle: 'oracle', nop: 'nop' },
      conditions: ['plain', 'hinted', 'long'],
    });
    expect(asRows(cellsOf(experiment))).toEqual([
      'x/oracle/plain/1',
      'x/oracle/hinted/1',
      'x/oracle/long/1',
      'x/nop/plain/1',
      'x/nop/hinted/1',
      'x/nop/long/1',
      'y/oracle/hinted/1',
      'y/oracle/long/1',
      'y/oracle/plain/1',
      'y/nop/hinted/1',
      'y/nop/long/1',
      'y/nop/plain/1',
    ]);
  });

  it('rotates by the place in the filtered list, not in the file', () => {
    const experiment = experimentOf({ tasks: ['shop:x', 'blog:y'], conditions: ['a', 'b'] });
    const rows = asRows(cellsOf(experiment, { ...NO_FILTERS, app: 'blog' }));
    expect(rows).toEqual(['y/nop/a/1', 'y/nop/b/1']);
  });

  it('starts every repeat of a task one condition further', () => {
    const experiment = experimentOf({ conditions: ['a', 'b'], repeats: 3 });
    expect(asRows(cellsOf(experiment))).toEqual([
      't1/nop/a/1',
      't1/nop/b/1',
      't1/nop/b/2',
      't1/nop/a/2',
      't1/nop/a/3',
      't1/nop/b/3',
    ]);
  });

  it('runs the agents in the order in which the filter names them', () => {
    const experiment = experimentOf({ agents: { a: 'nop', b: 'nop', c: 'nop' } });
    const rows = asRows(cellsOf(experiment, { ...NO_FILTERS, agents: ['c', 'a'] }));
    expect(rows).toEqual(['t1/c/plain/1', 't1/a/plain/1']);
  });

  it('names the agents that are not declared, and those that are', () => {
    const experiment = experimentOf({ agents: { oracle: 'oracle', nop: 'nop' } });
    const filters = { ...NO_FILTERS, agents: ['gpt', 'nop', 'gpt'] };
    expect(planCells(experiment, filters)).toEqual({
      ok: false,
      problem: { kind: 'unknown-agents', unknown: ['gpt'], declared: ['oracle', 'nop'] },
    });
  });
});

describe('planCells with a random order', () => {
  const withSeed = fc.tuple(cases, fc.integer({ min: 0, max: 2 ** 31 })).map(([given, seed]) => ({
    ...given,
    shuffled: { ...given.experiment, order: { kind: 'random', seed } as const },
  }));

  it('permutes each task block and moves nothing out of it', () => {
    fc.assert(
      fc.property(withSeed, ({ experiment, shuffled, filters }) => {
        fc.pre(naivePlan(experiment, filters).length > 0);
        const [plain, random] = [cellsOf(experiment, filters), cellsOf(shuffled, filters)];
        expect(random.map((cell) => cell.task)).toEqual(plain.map((cell) => cell.task));
        expect([...asRows(random)].sort()).toEqual([...asRows(plain)].sort());
      }),
    );
  });

  it('numbers the repeats of a cell in the order in which they run', () => {
    fc.assert(
      fc.property(withSeed, ({ experiment, shuffled, filters }) => {
        fc.pre(naivePlan(experiment, filters).length > 0);
        const seen = new Map<string, number>();
        for (const { task, agent, condition, repeat } of cellsOf(shuffled, filters)) {
          const place = `${task}/${agent}/${condition}`;
          expect(repeat).toBe((seen.get(place) ?? 0) + 1);
          seen.set(place, repeat);
        }
      }),
    );
  });

  const shape = {
    tasks: ['x', 'y'],
    agents: { a: 'nop', b: 'nop' },
    conditions: ['1', '2', '3'],
  } as const;

  it('depends on the seed and the task alone', () => {
    const both = asRows(cellsOf(experimentOf({ ...shape, seed: 7 })));
    const again = asRows(cellsOf(experimentOf({ ...shape, seed: 7 })));
    const other = asRows(cellsOf(experimentOf({ ...shape, seed: 8 })));
    const alone = asRows(
      cellsOf(experimentOf({ ...shape, seed: 7 }), { ...NO_FILTERS, task: 'y' }),
    );
    expect(again).toEqual(both);
    expect(other).not.toEqual(both);
    expect(alone).toEqual(both.slice(6));
  });

  it('gives every order of three cells about equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 6_000; seed += 1) {
      const experiment = experimentOf({ conditions: ['1', '2', '3'], seed });
      const order = cellsOf(experiment)
        .map((cell) => cell.condition)
        .join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // Five standard deviations around 1,000.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(145);
  });

  it('keeps the order of a seed from version to version', () => {
    const rows = asRows(cellsOf(experimentOf({ ...shape, tasks: ['x'], seed: 1 })));
    expect(rows).toMatchInlineSnapshot(`
     [
       "x/b/3/1",
       "x/b/2/1",
       "x/a/1/1",
       "x/a/3/1",
       "x/b/1/1",
       "x/a/2/1",
     ]
    `);
  });
});
