import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { phaseDeadlineMs, programDeadlineMs } from '../../../../src/domain/trial/deadlines.js';

const ms = fc.integer({ min: 0, max: 10_000_000 });

describe('the deadline of the trial program', () => {
  it('leaves time for every run to reach its own limit and grace: before, after and without the change', () => {
    fc.assert(
      fc.property(ms, ms, ms, (agentTimeoutMs, testTimeoutMs, killGraceMs) => {
        const agentMs = agentTimeoutMs + killGraceMs;
        const prepareAndTestMs = 2 * (testTimeoutMs + killGraceMs);
        const longestMs = agentMs + 3 * prepareAndTestMs;
        const deadlineMs = programDeadlineMs({ agentTimeoutMs, testTimeoutMs, killGraceMs });
        expect(deadlineMs - longestMs).toBeGreaterThanOrEqual(60_000);
      }),
    );
  });
});

describe('the deadline of a phase', () => {
  it.each([
    ['agent', 45_000],
    ['before', 25_000],
    ['grade', 25_000],
  ] as const)('%s has its runs and the time to end them', (phase, deadlineMs) => {
    const times = { agentTimeoutMs: 40_000, testTimeoutMs: 10_000, killGraceMs: 2_500 };
    expect(phaseDeadlineMs(phase, times)).toBe(deadlineMs);
  });
});
