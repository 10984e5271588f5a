import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { programDeadlineMs } from '../../../../src/domain/trial/deadlines.js';

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
