/** What a report says against itself. Every rule is a pure function of the same subject, one file each. */

import type { Comparison } from '../compare/comparison-types.js';
import type { TrialFacts } from './trial-facts.js';

export type FlagCode =
  | 'never-interleaved'
  | 'no-time-overlap'
  | 'overlapping-trials'
  | 'drift'
  | 'toolchain-differs'
  | 'model-differs'
  | 'weak-pass'
  | 'void-imbalance'
  | 'underpowered'
  | 'multiplicity'
  | 'contaminated'
  | 'keys-differ';

export interface Flag {
  readonly code: FlagCode;
  /** One sentence with the figures behind it. */
  readonly message: string;
  /** Null where it concerns more than one. */
  readonly agent: string | null;
  readonly task: string | null;
}

export interface FlaggedArm {
  readonly condition: string;
  /** Trials with a result, passed or not. */
  readonly n: number;
  readonly passed: number;
  readonly void: number;
  /** The trials with a result, by start where it is known. */
  readonly trials: readonly FlaggedTrial[];
}

export interface FlaggedTrial extends TrialFacts {
  /** Folder relative to the tree. */
  readonly folder: string;
  readonly passed: boolean;
  /** Only of passed trials and of the metrics that drift is looked for in. */
  readonly values: Readonly<Record<string, number>>;
}

/** Everything about one agent and task: what is compared, and what it is compared under. */
export interface FlaggedBlock {
  readonly agent: string;
  readonly task: string;
  /** In the order of the conditions. */
  readonly arms: readonly FlaggedArm[];
  readonly comparisons: readonly Comparison[];
}

export interface FlagSubject {
  readonly blocks: readonly FlaggedBlock[];
  readonly alpha: number;
}

export type FlagRule = (subject: FlagSubject) => readonly Flag[];

/** A rule that looks at one agent and task at a time; it gives a message for every fault. */
export function blockRule(
  code: FlagCode,
  messages: (block: FlaggedBlock, alpha: number) => readonly string[],
): FlagRule {
  return ({ blocks, alpha }) =>
    blocks.flatMap((block) =>
      messages(block, alpha).map((message) => {
        return { code, message, agent: block.agent, task: block.task };
      }),
    );
}

/** Every pair of arms, the earlier one first. */
export function armPairs(
  arms: readonly FlaggedArm[],
): readonly (readonly [a: FlaggedArm, b: FlaggedArm])[] {
  return arms.flatMap((a, index) => arms.slice(index + 1).map((b) => [a, b] as const));
}

/** The trials whose start is known. */
export function startedTrials(
  arm: FlaggedArm,
): readonly (FlaggedTrial & { readonly startedAtMs: number })[] {
  return arm.trials.flatMap((trial) => {
    const { startedAtMs } = trial;
    return startedAtMs === null ? [] : [{ ...trial, startedAtMs }];
  });
}

/** `1 trial`, `2 trials` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2030-01-01T00:01:02Z` */
export function isoSeconds(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
