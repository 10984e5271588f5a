import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { homedir } from 'node:os';
import { hidePaths, hidePathsIn } from '../../../src/support/hide-paths.js';

const HIDDEN = [
  { path: '/srv/exp', label: '<experiment>' },
  { path: '/srv/exp/checkout', label: '<checkout>' },
  { path: '/', label: '<root>' },
];

describe('folders of this host in a text', () => {
  it.each([
    ['/srv/exp/prompts/a.txt', '<experiment>/prompts/a.txt'],
    ['/srv/exp/checkout/a.js and /srv/exp/b', '<checkout>/a.js and <experiment>/b'],
    [`${homedir()}/notes`, '~/notes'],
    ['a/b, nothing to hide', 'a/b, nothing to hide'],
    ['file:///srv/exp/a.js:3:1', 'file://<experiment>/a.js:3:1'],
    ['', ''],
  ])('are replaced: %s', (text, shown) => {
    expect(hidePaths(text, HIDDEN)).toBe(shown);
    expect(hidePaths(text, [...HIDDEN].reverse())).toBe(shown);
  });

  it('are rather hidden once too often than once too seldom', () => {
    expect(hidePaths('/srv/exp-old/a', HIDDEN)).toBe('<experiment>-old/a');
  });

  it('are never left, wherever they stand', () => {
    const part = fc.constantFrom('/srv/exp', '/srv/exp/checkout', homedir(), ' ', '/', 'x', '\n');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const shown = hidePaths(parts.join(''), HIDDEN);
        expect(shown).not.toContain('/srv/exp');
        expect(shown).not.toContain(homedir());
      }),
    );
  });
});

describe('folders of this host in a JSON value', () => {
  it('are replaced in every string, and nothing else changes', () => {
    expect(
      hidePathsIn({ a: ['/srv/exp', { b: '/srv/exp/c' }], d: 1, e: null, f: true }, HIDDEN),
    ).toEqual({ a: ['<experiment>', { b: '<experiment>/c' }], d: 1, e: null, f: true });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(hidePathsIn(value, [])).toEqual(value);
      }),
    );
  });
});
