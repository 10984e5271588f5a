import { homedir } from 'node:os';

/** A folder of this host and what stands for it in text that leaves the host. */
export interface HiddenPath {
  readonly path: string;
  readonly label: string;
}

/** Replaces host folders in text; the longest path wins, whatever the order given. */
export function hidePaths(text: string, hidden: readonly HiddenPath[]): string {
  return [...hidden, { path: homedir(), label: '~' }]
    .filter(({ path }) => path.length > 1)
    .sort((a, b) => b.path.length - a.path.length)
    .reduce((result, { path, label }) => result.replaceAll(path, label), text);
}

/** The same in every string of a JSON value. */
export function hidePathsIn<T>(value: T, hidden: readonly HiddenPath[]): T {
  return mapStrings(value, (text) => hidePaths(text, hidden)) as T;
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]) => [key, mapStrings(nested, change)]),
  );
}
