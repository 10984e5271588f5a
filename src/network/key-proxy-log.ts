import { LineLog } from './line-log.js';

/** Enough for any agent that works. */
const MAX_LINES = 10_000;

const LONGEST_PATH = 500;

/** Of an answer that is no success: when to come back, as APIs say it. */
const LIMIT_HEADER =
  /^(retry-after(-ms)?|x-should-retry|(anthropic-ratelimit|x-ratelimit|x-codex)-.+)$/;

/** One request to the API. Never a query, a header of the request or content. */
export interface KeyRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
}

export interface KeyRequestEnd {
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  /** Went to the API. */
  readonly allowed: boolean;
  /** Of the two bodies, as they went over the line. */
  readonly bytesUp: number;
  readonly bytesDown: number;
  /** In the request, and in the answer; null where it did not pass by. */
  readonly modelAsked: string | null;
  readonly modelServed: string | null;
  readonly limits?: Readonly<Record<string, string>>;
  readonly error?: string;
}

export interface KeyProxyCount {
  readonly requests: number;
  readonly refused: number;
}

/** `model-requests.jsonl`: one line for each request, written when it is over. */
export class KeyProxyLog {
  private readonly log: LineLog;
  private requests = 0;
  private refused = 0;

  constructor(
    file: string,
    /** Of the API. */
    private readonly host: string,
  ) {
    this.log = new LineLog(file, MAX_LINES);
  }

  /** @returns what to call, once, when it is over */
  begin({ method, path }: KeyRequest): (end: KeyRequestEnd) => void {
    this.requests += 1;
    const at = new Date().toISOString();
    const startedMs = performance.now();
    return (end) => {
      if (!end.allowed) this.refused += 1;
      const ms = Math.round(performance.now() - startedMs);
      const { host } = this;
      this.log.write({ at, method, host, path: path.slice(0, LONGEST_PATH), ms, ...end });
    };
  }

  close(): KeyProxyCount {
    this.log.close(this.requests - this.log.lines);
    return { requests: this.requests, refused: this.refused };
  }
}

/** What the headers of an answer say about limits, or nothing. */
export function limitsIn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Pick<KeyRequestEnd, 'limits'> {
  const limits = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && LIMIT_HEADER.test(name) ? [[name, value.slice(0, 200)]] : [],
    ),
  );
  return Object.keys(limits).length === 0 ? {} : { limits };
}
