import { describe, expect, it } from '@jest/globals';
import { forEachLimited } from '../../../src/support/for-each-limited.js';

/** Resolves when the event loop has come round. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('forEachLimited', () => {
  it('visits every item once, and never more at a time than the limit', async () => {
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    await forEachLimited(new Set([1, 2, 3, 4, 5, 6, 7]), 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      seen.push(item);
      running -= 1;
    });
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('throws the first error and starts nothing after it', async () => {
    const started: number[] = [];
    const visit = async (item: number): Promise<void> => {
      started.push(item);
      await turn();
      if (item === 2) throw new Error('two is bad');
    };
    await expect(forEachLimited([1, 2, 3, 4, 5, 6], 2, visit)).rejects.toThrow('two is bad');
    await turn();
    expect(started.length).toBeLessThan(6);
  });
});
