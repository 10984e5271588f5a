import { describe, expect, it } from '@jest/globals';
import {
  gridIdOf,
  gridIdPrefix,
  gridWorkflowId,
  hostTaskQueue,
  preflightIdOf,
  trialTaskQueue,
} from '../../../../src/domain/grid/ids.js';

const GRID = gridWorkflowId('todo-1a2b3c4d', '5e6f7a8b');
const PREFLIGHT = preflightIdOf(GRID);

describe('the ids of a grid and its preflight', () => {
  it('are made from the experiment and the filters', () => {
    expect(GRID).toBe('llmx-grid-todo-1a2b3c4d-5e6f7a8b');
    expect(PREFLIGHT).toBe('llmx-preflight-todo-1a2b3c4d-5e6f7a8b');
    expect(GRID.startsWith(gridIdPrefix('todo-1a2b3c4d'))).toBe(true);
    expect(GRID.startsWith(gridIdPrefix('todo'))).toBe(true);
    expect(GRID.startsWith(gridIdPrefix('todo-1a2b'))).toBe(false);
  });

  it('lead to each other, whichever a person types', () => {
    expect([gridIdOf(GRID), gridIdOf(PREFLIGHT)]).toEqual([GRID, GRID]);
    expect([preflightIdOf(GRID), preflightIdOf(PREFLIGHT)]).toEqual([PREFLIGHT, PREFLIGHT]);
    expect([gridIdOf('other'), preflightIdOf('other')]).toEqual(['other', 'other']);
  });
});

describe('the task queues of a host', () => {
  it('keep trials apart from the rest', () => {
    expect(hostTaskQueue('0a1b')).toBe('llmx-host-0a1b');
    expect(trialTaskQueue('0a1b')).toBe('llmx-host-0a1b-trial');
  });
});
