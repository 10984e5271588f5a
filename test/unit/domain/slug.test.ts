import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { slug } from '../../../src/domain/slug.js';

describe('slug', () => {
  it.each([
    ['Rails prompts', 'rails-prompts'],
    ['  A -- B!  ', 'a-b'],
    ['Überprüfung à la carte', 'uberprufung-a-la-carte'],
    ['../../etc', 'etc'],
    ['我需要做 GPU 实验', 'gpu'],
    ['v1.10', 'v1-10'],
  ])('of %j is %s', (text, expected) => {
    expect(slug(text)).toBe(expected);
  });

  it('of a text without latin letters is a hash of it', () => {
    expect(slug('实验')).toMatch(/^x-[0-9a-f]{8}$/);
    expect(slug('实验')).not.toBe(slug('测试'));
    expect(slug('')).toMatch(/^x-[0-9a-f]{8}$/);
  });

  it('is always a short plain name and the same for the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(slug(text)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
        expect(slug(text)).toBe(slug(text));
      }),
    );
  });
});
