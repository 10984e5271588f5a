import { describe, expect, it } from '@jest/globals';
import { parseCacheSize } from '../../../../src/runtimes/containers/oci-output.js';

const row = (Type: string, Size: string): string => JSON.stringify({ Type, Size, TotalCount: '1' });

describe('the build cache of docker', () => {
  it.each([
    ['0B', 0],
    ['3.663kB', 3_663],
    ['686.5MB', 686_500_000],
    ['1.25GB', 1_250_000_000],
    ['2TB', 2e12],
  ])('is as large as docker says: %s', (size, bytes) => {
    expect(parseCacheSize(`${row('Images', '9GB')}\n${row('Build Cache', size)}\n`)).toBe(bytes);
  });

  it('is of unknown size where docker says nothing of it, or what nobody can read', () => {
    expect(parseCacheSize(`${row('Images', '9GB')}\n`)).toBeNull();
    expect(parseCacheSize(row('Build Cache', 'much'))).toBeNull();
  });
});
