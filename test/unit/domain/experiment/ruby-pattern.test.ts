import { describe, expect, it } from '@jest/globals';
import { translateRubyPattern } from '../../../../src/domain/experiment/ruby-pattern.js';

function matches(ruby: string, output: string): boolean {
  const pattern = translateRubyPattern(ruby);
  if (!pattern.ok) throw new Error(`${ruby} ${pattern.problem}`);
  return new RegExp(pattern.source, pattern.flags).test(output);
}

describe('a Ruby pattern', () => {
  it.each([
    [String.raw`\d+ runs?, \d+ assertions?`, 'Finished\n1 run, 2 assertions, 0 failures\n', true],
    [String.raw`^ok$`, 'not\nok\nyet', true],
    [String.raw`\Aok`, 'ok\nthen', true],
    [String.raw`\Aok`, 'then\nok', false],
    [String.raw`ok\z`, 'then\nok', true],
    [String.raw`ok\z`, 'ok\n', false],
    [String.raw`ok\Z`, 'ok\n', true],
    [String.raw`ok\Z`, 'ok\n\n', false],
    [String.raw`^\h{4}$`, 'c0Fe', true],
    [String.raw`^\h{4}$`, 'c0gs', false],
    [String.raw`\H`, 'abc', false],
    [String.raw`[\h-]{5}`, 'ab-cd', true],
    ['(?i)done', 'DONE', true],
    ['(?m)start.*end', 'start\nend', true],
    ['start.*end', 'start\nend', false],
    ['(?mi)START.*end', 'start\nEND', true],
    ['[[:digit:]]+ [[:alpha:]]+', '12 examples', true],
    ['[^[:space:]]', ' \t\n', false],
    ['[[:upper:][:digit:]_]+!', 'A1_!', true],
    ['[]x]+y', ']]xy', true],
    ['^a{,2}b', 'aab', true],
    ['^a{,2}b', 'aaab', false],
    ['a(?#a comment)b', 'ab', true],
    [String.raw`\e\[32mgreen`, '\u001b[32mgreen', true],
    [String.raw`\u{2713} ok`, '✓ ok', true],
    [String.raw`a\Rb`, 'a\r\nb', true],
    [String.raw`(?<n>\d)-\k<n>`, '1-1', true],
    [String.raw`(?:a|b)(?=c)(?<!x)`, 'bc', true],
    [String.raw`1\++`, '1++', true],
    ['', 'anything', true],
  ])('%j on %j matches: %s', (ruby, output, expected) => {
    expect(matches(ruby, output)).toBe(expected);
  });

  it.each([
    ['a(?i)b', 'has (?i), which JavaScript does not'],
    ['(?i:a)b', 'has (?i:, which JavaScript does not'],
    ['(?x) a b', 'has (?x), which JavaScript does not'],
    ['(?-i)a', 'has (?-i), which JavaScript does not'],
    ['a++', 'has ++, which JavaScript does not'],
    ['(?>a)', 'has (?>, which JavaScript does not'],
    ['(?~a)', 'has (?~, which JavaScript does not'],
    [String.raw`\p{Alpha}`, String.raw`has \p{A, which JavaScript does not`],
    [String.raw`\Ga`, String.raw`has \G, which JavaScript does not`],
    [String.raw`a\Kb`, String.raw`has \K, which JavaScript does not`],
    [String.raw`(?<n>a)\g<n>`, String.raw`has \g<, which JavaScript does not`],
    ['[a-z&&[^b]]', 'has &&, which JavaScript does not'],
    ['[a[bc]]', 'has [, which JavaScript does not'],
    ['[[:^alpha:]]', 'has [:^alpha:], which JavaScript does not'],
    ['[[:constructor:]]', 'has [:constructor:], which JavaScript does not'],
    [String.raw`\u{1F600}`, String.raw`has \u{1F600}, which JavaScript does not`],
    ['(', 'does not compile: Unterminated group'],
    ['*a', 'does not compile: Nothing to repeat'],
    ['[a', 'does not compile: Unterminated character class'],
    ['\\', String.raw`does not compile: \ at end of pattern`],
  ])('%j is refused: %s', (ruby, problem) => {
    expect(translateRubyPattern(ruby)).toMatchObject({
      ok: false,
      problem,
      hint: expect.stringMatching(/\S/),
    });
  });
});
