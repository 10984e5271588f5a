import { fstatSync, readSync } from 'node:fs';
import type { AgentStall } from '../../domain/trial/program-contract.js';

/** A longer last line is no message about waiting. */
const TAIL_BYTES = 16 * 1024;

export interface AgentOutput {
  readonly stdoutFd: number;
  readonly stderrFd: number;
}

/**
 * Tells whether an agent waits for something that no trial can wait for. Asked again and again while it runs;
 * `nowMs` is monotonic.
 */
export function stallWatch(
  { said, forMs, startMs }: AgentStall,
  { stdoutFd, stderrFd }: AgentOutput,
): (nowMs: number) => boolean {
  const pattern = new RegExp(said);
  const waits = (text: string): boolean => pattern.test(text);
  const out = new Tail(stdoutFd);
  const err = new Tail(stderrFd);
  let startedMs: number | null = null;
  let waitsSinceMs: number | null = null;
  let settledErrBytes = 0;
  return (nowMs) => {
    startedMs ??= nowMs;
    const hasMore = out.look();
    const hasSaidMore = err.look();
    if (out.bytes === 0 && nowMs - startedMs >= startMs) return true;
    // It went on: what it had said before counts no more.
    if (hasMore && !waits(out.lastLine)) settledErrBytes = err.bytes;
    const isWaiting = waits(out.lastLine) || (err.bytes > settledErrBytes && waits(err.lastLine));
    const isNew = waitsSinceMs === null || (hasSaidMore && !waits(out.lastLine));
    waitsSinceMs = isWaiting ? (isNew ? nowMs : waitsSinceMs) : null;
    return waitsSinceMs !== null && nowMs - waitsSinceMs >= forMs;
  };
}

/** The end of a file that grows. */
class Tail {
  bytes = 0;
  /** Without its line feed; an unfinished one counts. */
  lastLine = '';

  constructor(private readonly fd: number) {}

  /** @returns whether something came */
  look(): boolean {
    const { size } = fstatSync(this.fd);
    if (size === this.bytes) return false;
    this.bytes = size;
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(this.fd, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8', 0, read).trimEnd().split('\n');
    this.lastLine = lines.at(-1) ?? '';
    return true;
  }
}
