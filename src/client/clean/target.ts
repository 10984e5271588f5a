import type { EngineKind } from '../../runtimes/containers/engine.js';

/** What one flag of `clean` removes. */
export type TargetKind = 'images' | 'builder' | 'leftovers';

/** One thing on disk, or that runs, which could be removed. */
export interface Target {
  readonly kind: TargetKind;
  /** `image`, `build cache`, `container`, `processes`, `sandbox`, `half-made files`, `template` */
  readonly what: string;
  readonly name: string;
  /** Null for what is in the state folder. */
  readonly engine: EngineKind | null;
  /** Null where nobody tells. */
  readonly sizeBytes: number | null;
  /** What it is there for, or why nobody needs it. */
  readonly note: string;
  /** Why it stays whatever is asked for; null for what can be removed. */
  readonly kept: string | null;
  /**
   * Looks again first: what has come to life meanwhile stays.
   * @returns why it is still there, or null
   */
  remove(this: void): Promise<string | null>;
}

/** How asking one engine went. */
export interface EngineAnswer {
  readonly engine: EngineKind;
  readonly state: 'answers' | 'not installed' | 'does not answer';
  readonly reason: string | null;
  readonly hint: string | null;
}

export const TARGET_KINDS: readonly TargetKind[] = ['images', 'builder', 'leftovers'];

export function totalBytes(targets: readonly Target[]): number {
  return targets.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
}

/** In GB of 1e9 bytes, as the limits on free disk are. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
