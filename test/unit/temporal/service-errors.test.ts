import { describe, expect, it } from '@jest/globals';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import { connectClient } from '../../../src/temporal/connect.js';
import { asServiceError } from '../../../src/temporal/service-errors.js';

const server = { address: 'there:7233', embedded: false };
const grpc = (code: number): Error =>
  new Error('Failed to connect', {
    cause: Object.assign(new Error(`${code} X:\n details`), { code, details: 'no\nsuch place' }),
  });

describe('asServiceError', () => {
  it.each([
    [14, 'temporal_unreachable'],
    [4, 'temporal_unreachable'],
    [7, 'temporal_refused'],
    [16, 'temporal_refused'],
    [5, 'temporal_refused'],
  ])('turns gRPC status %i into %s, in one line with the address', (code, expected) => {
    const error = asServiceError(grpc(code), server) as LlmxError;
    expect(error).toBeInstanceOf(LlmxError);
    expect(error.code).toBe(expected);
    expect(error.message).toContain('there:7233');
    expect(error.message).toMatch(/: no such place$/);
    expect(error.exitCode).toBe(4);
  });

  it.each([new Error('plain'), grpc(13), new LlmxError('usage', { problem: 'p', hint: 'h' })])(
    'gives back what it does not know: %s',
    (error) => {
      expect(asServiceError(error, server)).toBe(error);
    },
  );
});

describe('connectClient', () => {
  it('names an address where nobody answers, within the time limit', async () => {
    const began = performance.now();
    const target = { uiUrl: null, embedded: false, namespace: 'default', credentials: {} };
    await expect(
      connectClient({ ...target, address: '127.0.0.1:9' }, { timeoutMs: 300 }),
    ).rejects.toMatchObject({
      code: 'temporal_unreachable',
      message: expect.stringContaining('127.0.0.1:9'),
    });
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
