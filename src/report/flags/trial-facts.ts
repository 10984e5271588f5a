/** What the flags need of the two records of a trial; the records themselves are not kept. */

import { leaksOf } from './leaks.js';
import type { StoredRecord } from './stored-record.js';
import { weaknessesOf } from './weaknesses.js';

export interface TrialFacts {
  /** Milliseconds since 1970; null where the records don't say. */
  readonly startedAtMs: number | null;
  /** `finished_at`, else the start plus `wall_seconds`. */
  readonly endedAtMs: number | null;
  readonly modelRequested: string | null;
  readonly modelReported: string | null;
  /** What the trial ran with, by name: tools, pins, image, runtime. */
  readonly versions: Readonly<Record<string, string>>;
  readonly promptSha256: string | null;
  /** Keys of meta.json and metrics.json; null for a file that is not there. */
  readonly metaKeys: readonly string[] | null;
  readonly metricsKeys: readonly string[];
  /** What the agent could see that it should not have. */
  readonly leaks: readonly string[];
  /** Why a pass says less than it seems. */
  readonly weaknesses: readonly string[];
}

/** @param meta null where a published tree leaves it out */
export function trialFacts(meta: StoredRecord | null, metrics: StoredRecord): TrialFacts {
  const both: StoredRecord = { ...meta, ...metrics };
  const startedAtMs = timeOf(both['started_at']);
  return {
    startedAtMs,
    endedAtMs: timeOf(both['finished_at']) ?? endByLength(startedAtMs, both['wall_seconds']),
    modelRequested: textOf(both['model_requested']),
    modelReported: textOf(both['model_reported']) ?? textOf(meta?.['model_reported']),
    versions: versionsOf(both),
    promptSha256: textOf(both['prompt_sha256']),
    metaKeys: meta === null ? null : Object.keys(meta),
    metricsKeys: Object.keys(metrics),
    leaks: leaksOf(both),
    weaknesses: weaknessesOf(both),
  };
}

function versionsOf(record: StoredRecord): Readonly<Record<string, string>> {
  const named = ['toolchain', 'pins'].flatMap((group) => {
    const versions = record[group];
    const entries = typeof versions === 'object' && versions !== null ? versions : {};
    return Object.entries(entries).map(([name, version]) => [`${group}.${name}`, String(version)]);
  });
  const single = ['image_id', 'runtime', 'cli_version'].flatMap((name) => {
    const version = textOf(record[name]);
    return version === null ? [] : [[name, version]];
  });
  return Object.fromEntries([...named, ...single]) as Record<string, string>;
}

function endByLength(startedAtMs: number | null, wallSeconds: unknown): number | null {
  if (startedAtMs === null || typeof wallSeconds !== 'number') return null;
  return startedAtMs + wallSeconds * 1_000;
}

function timeOf(value: unknown): number | null {
  const timeMs = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(timeMs) ? null : timeMs;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
