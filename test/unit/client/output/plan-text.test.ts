import { describe, expect, it } from '@jest/globals';
import { planLines } from '../../../../src/client/output/plan-text.js';
import { NO_FILTERS } from '../../../../src/domain/plan/cell.js';
import { planFigures } from '../../../../src/domain/plan/figures.js';
import { markDone, pendingCells } from '../../../../src/domain/plan/progress.js';
import { requiredCells } from '../../../../src/storage/plan-status.js';
import { experimentOf, type ExperimentShape } from '../../../fixtures/plan-experiment.js';

function textOf(shape: ExperimentShape, redoDone = false): string {
  const experiment = experimentOf(shape);
  const cells = markDone(requiredCells(experiment, NO_FILTERS), (place) =>
    place.task === 'x' ? 1 : 0,
  );
  const toRun = pendingCells(cells, redoDone);
  return planLines(experiment, cells, toRun, planFigures(experiment, cells, toRun)).join('\n');
}

describe('planLines', () => {
  it('says what two tasks without repeats can show', () => {
    const text = textOf({ tasks: ['x', 'y'], conditions: ['plain', 'hinted'] });
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
     "
     1. x / nop / plain (done)
     2. x / nop / hinted (done)
     3. y / nop / hinted
     4. y / nop / plain
     4 cells: 2 done, 2 to run

     Smallest p of one comparison (1 result against 1): 1. None can be significant at alpha 0.05: set repeats: 4 or more.
     Smallest p of the sign test over 2 tasks: 0.5. It takes 6 tasks for alpha 0.05.
     Detectable effect with 80% power: none with 1 result per cell.
     Cost bound: $0.00, no paid trial is to run.
     "
    `);
  });

  it('says what a large paid experiment can show and cost', () => {
    const shape = {
      tasks: ['a', 'b', 'c', 'd', 'e', 'f'],
      agents: { opus: 'claude' },
      conditions: ['plain', 'hinted'],
      repeats: 8,
      maxCostUsd: 0.5,
    } as const;
    expect(`\n${textOf(shape).split('\n').slice(-8).join('\n')}\n`).toMatchInlineSnapshot(`
     "
     96. f / opus / hinted #8
     96 cells: 0 done, 96 to run

     Smallest p of one comparison (8 results against 8): 0.00016.
     Smallest p of the sign test over 6 tasks: 0.031.
     Detectable effect with 80% power: about +47% in tokens or seconds, one comparison at alpha 0.05
       (assuming that ln(value) has a standard deviation of 0.25 inside a cell).
     Cost bound: $48.00 at $0.5 a paid trial; re-runs of void trials come on top.
     "
    `);
  });

  it('counts done cells as to run with redo', () => {
    expect(textOf({ tasks: ['x', 'y'] })).toContain('2 cells: 1 done, 1 to run');
    expect(textOf({ tasks: ['x', 'y'] }, true)).toContain('2 cells: 1 done, 2 to run');
  });

  it('does not guess a cost without a limit, and compares nothing with one condition', () => {
    const text = textOf({ agents: { opus: 'claude' } });
    expect(text).toContain('Cost bound: unknown');
    expect(text).toContain('Nothing to compare');
  });
});
