import { LlmxError } from '../errors/llmx-error.js';

/** gRPC status codes that mean "try later" or "nobody there". */
const UNREACHABLE = new Set([4, 14]);
/** The server answered, and the answer is that this caller may not, or that the namespace is unknown. */
const REFUSED = new Set([3, 5, 7, 12, 16]);

interface ErrorLike {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** The gRPC status code in an error or its causes, or null. */
export function grpcCode(error: unknown): number | null {
  const codes = causesOf(error).map(({ code }) => code);
  return codes.find((code): code is number => typeof code === 'number') ?? null;
}

/** The innermost message in one line, without a stack. */
export function grpcReason(error: unknown): string {
  const innermost = causesOf(error).at(-1);
  const reason = innermost?.details || innermost?.message || error;
  return String(reason).replace(/\s+/g, ' ').trim();
}

function causesOf(error: unknown): readonly ErrorLike[] {
  const causes: ErrorLike[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null && causes.length < 10) {
    causes.push(next);
    next = (next as ErrorLike).cause;
  }
  return causes;
}

export interface ServerName {
  readonly address: string;
  readonly embedded: boolean;
}

/**
 * What a person is told about a failed request: unreachable or refused, with the address. Anything
 * else is given back as it is.
 */
export function asServiceError(error: unknown, server: ServerName): unknown {
  if (error instanceof LlmxError) return error;
  const code = grpcCode(error);
  if (code !== null && REFUSED.has(code)) return refused(error, server);
  if (code !== null && UNREACHABLE.has(code)) return unreachable(error, server);
  return error;
}

export function unreachable(error: unknown, server: ServerName): LlmxError {
  const hint = server.embedded
    ? 'llmx-client server start'
    : 'check --address, TEMPORAL_ADDRESS and temporal.toml, then: llmx-client doctor';
  const params = { address: server.address, reason: grpcReason(error), hint };
  return new LlmxError('temporal_unreachable', params, { cause: error });
}

function refused(error: unknown, server: ServerName): LlmxError {
  const params = { address: server.address, reason: grpcReason(error) };
  return new LlmxError('temporal_refused', params, { cause: error });
}
