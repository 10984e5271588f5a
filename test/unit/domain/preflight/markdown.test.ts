import { describe, expect, it } from '@jest/globals';
import { checksAsMarkdown } from '../../../../src/domain/preflight/markdown.js';

describe('the checks as Markdown', () => {
  it('are a table under the verdict', () => {
    const text = checksAsMarkdown('YELLOW', [
      { code: 'git', name: 'git', status: 'ok', detail: 'git version 2', hint: null },
      {
        code: 'prompts',
        name: 'prompts',
        status: 'warn',
        detail: 'missing: a/b',
        hint: 'write it',
      },
    ]);
    expect(text).toMatchInlineSnapshot(`
     "**YELLOW**

     | | check | detail | next |
     |---|---|---|---|
     | ok | git | git version 2 |  |
     | warn | prompts | missing: a/b | write it |"
    `);
  });

  it('keep their shape whatever a detail holds', () => {
    const check = { code: 'x', name: 'a|b', status: 'fail', hint: 'c\n  d' } as const;
    const lines = checksAsMarkdown('RED', [{ ...check, detail: '| one\n| two' }]).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe('| fail | a\\|b | \\| one \\| two | c d |');
  });

  it('are an empty table when there are none', () => {
    expect(checksAsMarkdown('RED', []).split('\n')).toHaveLength(4);
  });
});
