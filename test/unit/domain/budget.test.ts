import { describe, expect, it } from '@jest/globals';
import { costBoundUsd } from '../../../src/domain/budget.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';

const cell = (agent: string) => ({ task: 't1', agent, condition: 'plain', repeat: 1 });
const agents = {
  opus: 'claude',
  mini: 'codex',
  open: 'opencode',
  nop: 'nop',
  own: 'command',
} as const;

describe('costBoundUsd', () => {
  it.each([
    {
      title: 'paid trials times the limit',
      maxCostUsd: 0.5,
      run: ['opus', 'mini', 'open', 'nop'],
      bound: 1.5,
    },
    { title: 'unknown without a limit', maxCostUsd: null, run: ['opus', 'nop'], bound: null },
    { title: '0 when no paid agent is to run', maxCostUsd: null, run: ['nop', 'own'], bound: 0 },
    { title: '0 when nothing is left to run', maxCostUsd: 2, run: [], bound: 0 },
  ])('is $title', ({ maxCostUsd, run, bound }) => {
    expect(costBoundUsd(experimentOf({ agents, maxCostUsd }), run.map(cell))).toBe(bound);
  });
});
