import { describe, expect, it } from '@jest/globals';
import type { Check } from '../../../../src/domain/preflight/check.js';
import { checksText } from '../../../../src/client/output/checks.js';

const CHECKS: readonly Check[] = [
  { code: 'git', name: 'git', status: 'ok', detail: 'git version 2', hint: 'never shown' },
  { code: 'prompts', name: 'prompts', status: 'warn', detail: 'missing: a/b', hint: 'write it' },
  { code: 'agents', name: 'agents', status: 'fail', detail: 'no program', hint: null },
];

describe('the checks for a person', () => {
  it('are one line each, with what to type next where something is wrong', () => {
    expect(checksText(CHECKS, 'RED', false)).toMatchInlineSnapshot(`
     "ok    git      git version 2
     warn  prompts  missing: a/b
                    next: write it
     FAIL  agents   no program

     verdict: RED"
    `);
  });

  it('have colour only where it is wanted, and the same text', () => {
    const coloured = checksText(CHECKS, 'RED', true);
    expect(coloured).toContain('\u001b[31mRED\u001b[39m');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(checksText(CHECKS, 'RED', false));
  });

  it('can be none', () => {
    expect(checksText([], 'RED', false)).toBe('\nverdict: RED');
  });
});
