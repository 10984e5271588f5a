import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Target } from './authority.js';
import type { EgressEntry } from './egress-log.js';
import { RefusedError } from './open-target.js';

/** One request to the proxy. */
export interface Exchange {
  /** Null when the request does not name one. */
  readonly target: Target | null;
  readonly entry: EgressEntry;
  readonly open: (target: Target) => Promise<Duplex>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * The connection to where the request goes, or what to answer when there is none; the log then knows it.
 */
export async function upstreamOf({ entry, open, target }: Exchange): Promise<Duplex | Answer> {
  if (target === null) {
    entry.end({ allowed: false, error: 'names no host and port' });
    return { status: 400, text: 'llmx: expected CONNECT host:port or http://host:port/path\n' };
  }
  let upstream: Duplex;
  try {
    upstream = await open(target);
  } catch (error) {
    return failed(entry, target, error);
  }
  measure(entry, upstream);
  return upstream;
}

function failed(entry: EgressEntry, target: Target, error: unknown): Answer {
  if (error instanceof RefusedError) {
    entry.end({ allowed: false, error: error.reason });
    const text = `llmx: the network of this trial is model-only: ${error.message}\n`;
    return { status: 403, text };
  }
  const reason = reasonOf(error);
  entry.end({ allowed: true, error: reason });
  return { status: 502, text: `llmx: ${target.host} can't be reached: ${reason}\n` };
}

/** Counts what goes over the connection from now on, and ends the entry with it. */
function measure(entry: EgressEntry, upstream: Duplex): void {
  const bytes = (): { up: number; down: number } => {
    const { bytesRead = 0, bytesWritten = 0 } = upstream as Partial<Socket>;
    return { up: bytesWritten, down: bytesRead };
  };
  // A proxy on the way has been spoken with before; what is still to be read is not of that.
  const { up, down } = bytes();
  const before = { up, down: down - upstream.readableLength };
  entry.measure(() => ({ up: bytes().up - before.up, down: bytes().down - before.down }));
  upstream.once('close', () => {
    const { errored } = upstream;
    entry.end({ allowed: true, ...(errored === null ? {} : { error: reasonOf(errored) }) });
  });
}

export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? (error instanceof Error ? error.message : String(error));
}
