import { describe, expect, it } from '@jest/globals';
import { factsInMemo } from '../../../src/temporal/grid-state.js';

describe('factsInMemo', () => {
  it('reads what a grid published', () => {
    const facts = { phase: 'paused', verdict: 'GREEN', reason: 'the disk is full', spentUsd: 1.5 };
    expect(factsInMemo({ ...facts, startedBy: '1-2', done: 3, total: 4 })).toEqual(facts);
  });

  it.each([undefined, {}, { startedBy: '1-2', experiment: 'e' }])(
    'has nothing to say of a grid that has published nothing: %j',
    (memo) => {
      expect(factsInMemo(memo)).toBeNull();
    },
  );

  it('takes what is not there for unknown', () => {
    const facts = { phase: 'running', verdict: null, reason: null, spentUsd: 0 };
    expect(factsInMemo({ phase: 'running' })).toEqual(facts);
  });
});
