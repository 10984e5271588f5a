/** When a limit ends, read from the headers of an HTTP answer. */

import type { Reset } from './ending.js';

export type Headers = Readonly<Record<string, string>>;

/** Limits that a provider counts beside each other: `-reset` tells when, the rest whether it is used up. */
interface HeaderWindow {
  readonly reset: string;
  readonly isUsedUp: (header: (name: string) => string | null) => boolean;
}

const zero = (name: string) => (header: (name: string) => string | null) => {
  const left = header(name);
  return left === null || Number(left) === 0;
};

const ANTHROPIC = ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind) => ({
  reset: `anthropic-ratelimit-${kind}-reset`,
  isUsedUp: zero(`anthropic-ratelimit-${kind}-remaining`),
}));

const UNIFIED = ['5h', '7d'].map((window) => ({
  reset: `anthropic-ratelimit-unified-${window}-reset`,
  isUsedUp: (header: (name: string) => string | null) =>
    header(`anthropic-ratelimit-unified-${window}-status`) === 'rejected' ||
    Number(header(`anthropic-ratelimit-unified-${window}-utilization`) ?? 0) >= 1,
}));

const OPENAI = ['requests', 'tokens'].map((kind) => ({
  reset: `x-ratelimit-reset-${kind}`,
  isUsedUp: zero(`x-ratelimit-remaining-${kind}`),
}));

const CODEX = ['primary', 'secondary'].flatMap((window) =>
  ['reset-at', 'reset-after-seconds'].map((end) => ({
    reset: `x-codex-${window}-${end}`,
    isUsedUp: (header: (name: string) => string | null) =>
      Number(header(`x-codex-${window}-used-percent`) ?? 0) >= 100,
  })),
);

/** Asked in this order; the first family that has a used-up window decides, with its latest reset. */
const FAMILIES: readonly (readonly HeaderWindow[])[] = [
  UNIFIED,
  [{ reset: 'anthropic-ratelimit-unified-reset', isUsedUp: () => true }],
  CODEX,
  ANTHROPIC,
  OPENAI,
  [{ reset: 'x-ratelimit-reset', isUsedUp: () => true }],
];

/** Null when no header says when, or none that can be read. */
export function resetInHeaders(headers: Headers, nowMs: number): Reset | null {
  const lower = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]),
  );
  const header = (name: string): string | null => lower.get(name) ?? null;
  const atMs = retryAfterMs(header, nowMs) ?? latest(header, nowMs);
  return atMs === null ? null : { atMs, precision: 'second' };
}

function retryAfterMs(header: (name: string) => string | null, nowMs: number): number | null {
  const inMs = numberIn(header('retry-after-ms'));
  if (inMs !== null) return nowMs + inMs;
  const after = header('retry-after');
  const inSeconds = numberIn(after);
  if (inSeconds !== null) return nowMs + inSeconds * 1000;
  return after === null ? null : dateIn(after);
}

function latest(header: (name: string) => string | null, nowMs: number): number | null {
  for (const family of FAMILIES) {
    const times = family.flatMap(({ reset, isUsedUp }) => {
      const value = header(reset);
      return value === null || !isUsedUp(header) ? [] : (momentIn(value, nowMs) ?? []);
    });
    if (times.length > 0) return Math.max(...times);
  }
  return null;
}

/** Epoch (ms or s, told apart by size), seconds from now, a Go duration or a date. */
function momentIn(value: string, nowMs: number): number | null {
  const number = numberIn(value);
  if (number !== null) {
    if (number > 1e11) return number;
    return number > 1e9 ? number * 1000 : nowMs + number * 1000;
  }
  const span = goDurationMs(value);
  return span === null ? dateIn(value) : nowMs + span;
}

const GO_UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 1e-6,
};

/** `6m0s`, `12ms` */
function goDurationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    ms += Number(count) * (GO_UNITS_MS[unit ?? ''] ?? 0);
  }
  return ms;
}

function numberIn(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** HTTP dates and RFC 3339; `Date.parse` alone takes nearly anything. */
function dateIn(text: string): number | null {
  if (!/^(\d{4}-\d{2}-\d{2}T|[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} )/.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
