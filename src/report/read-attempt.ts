/** One attempt folder of llmx or of the Ruby gem, judged: a trial, or why not. */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LlmxError } from '../errors/llmx-error.js';
import { isCounted, readAttempt } from '../storage/results-tree.js';
import { isErrno, readJsonIfExists } from '../support/atomic-file.js';
import type { StoredRecord } from './flags/stored-record.js';
import { trialFacts, type TrialFacts } from './flags/trial-facts.js';
import type { Arm, ExclusionReason } from './report-types.js';

export type JudgedAttempt =
  | {
      readonly kind: 'trial';
      readonly arm: Arm;
      readonly passed: boolean;
      readonly metrics: readonly (readonly [name: string, value: number])[];
      readonly facts: TrialFacts;
    }
  | {
      readonly kind: 'excluded';
      readonly arm: Arm | null;
      readonly reason: ExclusionReason;
      readonly detail: string | null;
    };

export interface AttemptFiles {
  readonly hasMeta: boolean;
  readonly hasMetrics: boolean;
}

/** Numbers in metrics.json that measure nothing. */
const NOT_MEASURED = new Set(['schema_version', 'repeat']);

/** Null when the folder's files are not those of an attempt. */
export async function judgeAttempt(
  dir: string,
  files: AttemptFiles,
): Promise<JudgedAttempt | null> {
  const metrics = files.hasMetrics ? await readObject(join(dir, 'metrics.json')) : null;
  if (metrics === 'broken') return excluded('unreadable', 'metrics.json');
  const { state, meta } = files.hasMeta
    ? await readMeta(dir)
    : ({ state: 'open', meta: null } as const);
  if (state === 'broken') return excluded('unreadable', 'meta.json');
  if (state === 'not-counted') return notCounted(meta ?? {});
  return metrics === null ? withoutMetrics(meta) : withMetrics(metrics, meta);
}

function withoutMetrics(meta: StoredRecord | null): JudgedAttempt | null {
  const arm = armOf(meta ?? {});
  return arm === null ? null : excluded('no-metrics', null, arm);
}

function withMetrics(metrics: StoredRecord, meta: StoredRecord | null): JudgedAttempt {
  const arm = armOf(metrics);
  if (arm === null) return excluded('unnamed', null);
  // Our own attempts are closed by meta.json; the gem's published trees may leave it out.
  const isOurs = metrics['schema_version'] !== undefined;
  if (meta === null && isOurs) return excluded('unfinished', null, arm);
  return {
    kind: 'trial',
    arm,
    passed: metrics['passed'] === true,
    metrics: Object.entries(metrics).flatMap(([name, value]) =>
      typeof value === 'number' && !NOT_MEASURED.has(name) ? [[name, value] as const] : [],
    ),
    facts: trialFacts(meta, metrics),
  };
}

function notCounted(meta: StoredRecord): JudgedAttempt | null {
  const arm = armOf(meta);
  if (meta['status'] === 'ungraded') return excluded('ungraded', null, arm);
  const { aborted } = meta;
  if (arm === null && aborted === undefined) return null;
  return excluded('void', typeof aborted === 'string' ? aborted : null, arm);
}

function excluded(
  reason: ExclusionReason,
  detail: string | null,
  arm: Arm | null = null,
): JudgedAttempt {
  return { kind: 'excluded', arm, reason, detail };
}

/** The keys inside the file decide, not the folder names. */
function armOf(record: StoredRecord): Arm | null {
  const { agent, task, condition } = record;
  if (typeof agent !== 'string' || typeof task !== 'string' || typeof condition !== 'string') {
    return null;
  }
  return { agent, task, condition };
}

/**
 * The usual case at a tenth of the price: reading without waiting takes 30 microseconds a file, and a large
 * tree has 20,000. Null for whatever needs a closer look.
 */
function readSoundObject(path: string): StoredRecord | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as unknown;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as StoredRecord) : null;
  } catch {
    return null; // read again by those who know what the fault means
  }
}

async function readMeta(dir: string): ReturnType<typeof readAttempt> {
  const meta = readSoundObject(join(dir, 'meta.json'));
  if (meta !== null) {
    const state = isCounted(meta) ? 'counted' : 'not-counted';
    return { stamp: basename(dir), dir, state, meta };
  }
  try {
    return await readAttempt(dirname(dir), basename(dir));
  } catch (error) {
    // One record that can't be read now must not cost the report of all others.
    if (!(error instanceof LlmxError)) throw error;
    return { stamp: basename(dir), dir, state: 'broken', meta: null };
  }
}

async function readObject(path: string): Promise<StoredRecord | 'broken'> {
  const sound = readSoundObject(path);
  if (sound !== null) return sound;
  try {
    const value = await readJsonIfExists(path);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as StoredRecord) : 'broken';
  } catch (error) {
    if (error instanceof SyntaxError || isFileError(error)) return 'broken';
    throw error;
  }
}

/** An error of the file system; one bad file must not cost the report of all others. */
export function isFileError(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EISDIR', 'EIO', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].some((code) =>
    isErrno(error, code),
  );
}
