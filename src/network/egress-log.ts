import type { Target } from './authority.js';
import { LineLog } from './line-log.js';

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
  private readonly log: LineLog;
  private readonly open = new Set<EgressEntry>();
  private connections = 0;
  private refused = 0;

  constructor(file: string, maxLines = MAX_LINES) {
    this.log = new LineLog(file, maxLines);
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
        this.log.write({
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
    const unlogged = connections - this.log.lines;
    this.log.close(unlogged);
    return { connections, refused, unlogged };
  }
}
