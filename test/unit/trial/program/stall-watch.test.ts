import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stallWatch } from '../../../../src/trial/program/stall-watch.js';

const STALL = { said: 'waits', forMs: 100, startMs: 1_000 };

let dir = '';
let fds: number[] = [];
let isStalled: (nowMs: number) => boolean;
const say = (name: 'out' | 'err', text: string): void => {
  appendFileSync(join(dir, name), text);
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-stall-'));
  fds = ['out', 'err'].map((name) => openSync(join(dir, name), 'a+'));
  const [stdoutFd = -1, stderrFd = -1] = fds;
  isStalled = stallWatch(STALL, { stdoutFd, stderrFd });
});

afterEach(() => {
  for (const fd of fds) closeSync(fd);
  rmSync(dir, { recursive: true });
});

/** Says what was said at each time, and whether the agent is stalled then. */
function follow(steps: readonly (readonly [number, ('out' | 'err')?, string?])[]): boolean[] {
  return steps.map(([nowMs, name, text]) => {
    if (name !== undefined) say(name, `${text ?? ''}\n`);
    return isStalled(nowMs);
  });
}

describe('an agent is taken to wait in vain', () => {
  it('when nothing came at all for too long, whatever is in its log', () => {
    expect(follow([[0], [900, 'err', 'starting'], [999], [1_000]])).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('when it said that it waits, and nothing more', () => {
    const steps = [[0, 'out', 'works'], [10, 'out', 'waits'], [109], [110]] as const;
    expect(follow(steps)).toEqual([false, false, false, true]);
  });

  it('when it says so over and over on standard output', () => {
    const steps = [[0, 'out', 'waits'], [60, 'out', 'waits'], [99, 'out', 'waits'], [100]] as const;
    expect(follow(steps)).toEqual([false, false, false, true]);
  });

  it('when it said so in its log alone', () => {
    const steps = [[0, 'out', 'works'], [10, 'err', 'waits'], [110]] as const;
    expect(follow(steps)).toEqual([false, false, true]);
  });
});

describe('an agent is left alone', () => {
  it('once it goes on', () => {
    const steps = [[0, 'out', 'waits'], [50, 'out', 'works'], [500]] as const;
    expect(follow(steps)).toEqual([false, false, false]);
  });

  it('when it goes on after what stays the last line of its log', () => {
    const steps = [[0, 'out', 'works'], [10, 'err', 'waits'], [60, 'out', 'works'], [500]] as const;
    expect(follow(steps)).toEqual([false, false, false, false]);
  });

  it('while it tries again, and its log says so', () => {
    const steps = [
      [0, 'out', 'works'],
      [10, 'err', 'waits'],
      [90, 'err', 'waits'],
      [180],
      [190],
    ] as const;
    expect(follow(steps)).toEqual([false, false, false, false, true]);
  });

  it('when it only says something long', () => {
    say('out', `waits ${'x'.repeat(100_000)}\n`);
    expect([isStalled(0), isStalled(500)]).toEqual([false, false]);
  });
});
