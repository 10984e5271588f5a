import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '../../../src/storage/results-tree.js';
import { trialResult } from '../../../src/trial/trial-result.js';

const record = (meta: Attempt['meta']): Parameters<typeof trialResult>[0] => ({
  kind: 'record',
  attempt: {
    stamp: 'S',
    dir: '/nowhere',
    state: meta === null ? 'broken' : 'not-counted',
    meta,
  },
});

describe('the answer to the workflow', () => {
  it.each([
    ['a passed trial', { status: 'valid', passed: true }, { status: 'valid', passed: true }],
    ['a failed trial', { status: 'valid', passed: false }, { status: 'valid', passed: false }],
    ['an ungraded trial', { status: 'ungraded' }, { status: 'ungraded', code: 'ungraded' }],
    [
      'a void trial with a detail',
      { status: 'void', aborted: 'agent_not_runnable', detail: 'exit 127' },
      { code: 'agent_not_runnable', error: 'the agent program could not be started: exit 127' },
    ],
    [
      'a void trial without one',
      { status: 'void', aborted: 'host_slept' },
      { code: 'host_slept', error: 'the machine slept during the trial' },
    ],
    [
      'an unknown error',
      { status: 'void', aborted: 'unknown_error', detail: 'boom' },
      { code: 'unknown_error', error: 'the trial ended in a way llmx does not know: boom' },
    ],
    ['a record that can’t be read', null, { status: 'void', code: 'unknown_error' }],
  ])('says what came of %s', async (_name, meta, expected) => {
    const result = await trialResult(record(meta), 'p.txt');
    expect(result).toMatchObject({ ...expected, stamp: 'S', costUsd: null });
    expect(result.error ?? '').not.toContain('{');
  });

  it('names the prompt that is missing', async () => {
    const result = await trialResult({ kind: 'prompt-missing' }, 'prompts/a/t/c.txt');
    expect(result).toMatchObject({ status: 'not-started', code: 'prompt_missing', stamp: null });
    expect(result.error).toContain('prompts/a/t/c.txt');
  });
});
