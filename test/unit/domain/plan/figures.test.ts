import { describe, expect, it } from '@jest/globals';
import { NO_FILTERS } from '../../../../src/domain/plan/cell.js';
import { planFigures, type PlanFigures } from '../../../../src/domain/plan/figures.js';
import { planCells } from '../../../../src/domain/plan/plan-cells.js';
import { markDone } from '../../../../src/domain/plan/progress.js';
import { experimentOf, type ExperimentShape } from '../../../fixtures/plan-experiment.js';

function figuresOf(shape: ExperimentShape): PlanFigures {
  const experiment = experimentOf(shape);
  const plan = planCells(experiment, NO_FILTERS);
  const cells = plan.ok ? markDone(plan.cells, () => 0) : [];
  return planFigures(experiment, cells, cells);
}

describe('planFigures', () => {
  it('has nothing to say about one condition', () => {
    const { smallestP, smallestSignTestP, detectableEffect } = figuresOf({ repeats: 10 });
    expect([smallestP, smallestSignTestP, detectableEffect]).toEqual([null, null, null]);
  });

  it('takes n from repeats and the number of tasks from the plan', () => {
    const conditions = ['a', 'b'];
    const figures = figuresOf({ conditions, repeats: 5, tasks: ['x', 'y', 'z'] });
    expect(figures.smallestP).toBeCloseTo(2 / 252, 12);
    expect(figures.smallestSignTestP).toBe(0.25);
    expect(figures.detectableEffect).toMatchObject({
      perArm: 5,
      power: 0.8,
      alpha: 0.05,
      assumedLnSd: 0.25,
    });
  });

  it('uses the alpha of the experiment: stricter, and 5 results cannot reach it', () => {
    const figures = figuresOf({ conditions: ['a', 'b'], repeats: 5, alpha: 0.001 });
    expect(figures).toMatchObject({ alpha: 0.001, detectableEffect: null });
  });
});
