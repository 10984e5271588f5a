import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Target } from './authority.js';

/** Enough for any agent that works; an agent in a loop must not fill the disk. */
const MAX_LINES = 10_000;

/** How a connection is told in the log. Where it went, and never what was said. */
export interface EgressEnd {
  readonly allowed: boolean;
  readonly error?: string;
}

export interface EgressCount {
  readonly connections: number;
  readonly refused: number;
  /** Connections that the log does not show: too many, or the disk took no more. */
  readonly unlogged: number;
}

/** One connection that is under way. */
export interface EgressEntry {
  /** From now on these bytes count. */
  measure(bytes: () => TransferredBytes): void;
  /** The first call counts. */
  end(end: EgressEnd): void;
}

export interface TransferredBytes {
  readonly up: number;
  readonly down: number;
}

const NOTHING: TransferredBytes = { up: 0, down: 0 };

/** `egress.jsonl`: one line for each connection, written when it is over. A write that fails stops nobody. */
export class EgressLog {
  private readonly fd: number;
  private readonly open = new Set<EgressEntry>();
  private connections = 0;
  private refused = 0;
  private lines = 0;

  constructor(
    file: string,
    private readonly maxLines = MAX_LINES,
  ) {
    this.fd = openSync(file, 'a', 0o600);
  }

  begin(method: string, target: Target | null): EgressEntry {
    this.connections += 1;
    const at = new Date().toISOString();
    const startedMs = performance.now();
    let bytes = (): TransferredBytes => NOTHING;
    const entry: EgressEntry = {
      measure: (counter) => {
        bytes = counter;
      },
      end: ({ allowed, error }) => {
        if (!this.open.delete(entry)) return;
        if (!allowed) this.refused += 1;
        const { up, down } = bytes();
        this.write({
          at,
          method,
          host: target?.host ?? null,
          port: target?.port ?? null,
          allowed,
          bytesUp: up,
          bytesDown: down,
          ms: Math.round(performance.now() - startedMs),
          ...(error === undefined ? {} : { error }),
        });
      },
    };
    this.open.add(entry);
    return entry;
  }

  /** Ends what is still under way and says how many connections have no line. */
  close(): EgressCount {
    for (const entry of [...this.open]) entry.end({ allowed: true, error: 'ended with the agent' });
    const { connections, refused } = this;
    const unlogged = connections - this.lines;
    if (unlogged > 0) this.tryWrite({ at: new Date().toISOString(), dropped: unlogged });
    try {
      fsyncSync(this.fd);
    } catch {
      // The disk is full or gone: the attempt is judged by that, not by its log.
    }
    closeSync(this.fd);
    return { connections, refused, unlogged };
  }

  private write(line: Readonly<Record<string, unknown>>): void {
    if (this.lines < this.maxLines && this.tryWrite(line)) this.lines += 1;
  }

  private tryWrite(line: Readonly<Record<string, unknown>>): boolean {
    try {
      writeSync(this.fd, `${JSON.stringify(line)}\n`);
      return true;
    } catch {
      return false; // counted as dropped
    }
  }
}
