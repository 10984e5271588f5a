/** The two files that close an attempt. Key names are shared with the Ruby gem's trees. */

import type { TrialStatus } from './outcome.js';

/**
 * `results-raw/<task>/<agent>/<condition>/<stamp>/meta.json`, written last: it closes the attempt.
 * Keys are flat and snake_case. Times are ISO-8601 UTC.
 */
export interface MetaRecord {
  readonly schema_version: 1;
  readonly task: string;
  readonly app: string;
  readonly agent: string;
  readonly agent_kind: string;
  readonly condition: string;
  readonly repeat: number;
  readonly stamp: string;
  readonly status: TrialStatus;
  /** Reason, only on void attempts (absent otherwise: the gem counts a trial when it is absent). */
  readonly aborted?: string;
  /** One sentence for a reader; never a stack trace. */
  readonly detail?: string;
  /** What the grid is to do before it tries again, where the reason alone does not say it. */
  readonly resume?: string;
  /** Whose trials the cause concerns. */
  readonly resume_scope?: string;
  /** Not before this time, where somebody said so. */
  readonly resume_at?: string;
  /** True on a void attempt whose cause llmx does not know. */
  readonly loud?: boolean;
  /** The fix is verified: the test passes afterwards and was not edited. Null unless graded. */
  readonly passed: boolean | null;
  readonly fix_verified: boolean | null;
  readonly timed_out: boolean;
  /** True when the agent was ended because it wrote too much (absent otherwise). */
  readonly output_limited?: boolean;
  /** True when the agent was ended because it waited in vain for its model (absent otherwise). */
  readonly agent_stalled?: boolean;
  /** True when the kernel killed processes of the agent at the trial's own memory limit (absent otherwise). */
  readonly oom_killed?: boolean;
  readonly agent_exit: number | null;
  readonly agent_signal: string | null;
  /** Agent process alone, monotonic clock. */
  readonly wall_seconds: number | null;
  readonly started_at: string;
  readonly finished_at: string;
  /** Whole trial as the supervisor saw it. */
  readonly host_wall_seconds: number;
  readonly model_requested: string | null;
  readonly model_reported: string | null;
  readonly targets: readonly string[];
  readonly changed_files: readonly string[];
  readonly untracked_files: readonly string[];
  readonly touched_impl_file: boolean | null;
  readonly touched_target: boolean | null;
  readonly edited_test_dir: boolean | null;
  readonly test_file_edited: boolean | null;
  readonly test_before_exit: number | null;
  readonly test_after_exit: number | null;
  readonly db_prepare_exit: number | null;
  readonly branches_visible_to_agent: readonly string[];
  readonly history_visible_to_agent: string | null;
  readonly clean_tree_before: boolean | null;
  readonly prompt_sha256: string | null;
  readonly toolchain: Readonly<Record<string, string>>;
  readonly runtime: string;
  readonly image_id: string | null;
  readonly pins: Readonly<Record<string, string>>;
  readonly host: Readonly<Record<string, string | number>>;
  readonly engine_version: string;
  readonly workflow_id: string | null;
  readonly run_id: string | null;
  /** Frozen plan the trial read its inputs from. */
  readonly frozen_id: string;
  /** `cgroup` | `best-effort`: how it was shown that no process of the trial was left. */
  readonly proof: string;
  /** Processes that had outlived the agent or the trial program and were killed. */
  readonly leftovers_killed: number;
  /** Processes and folders of earlier, dead trials that were removed before this one started. */
  readonly leftovers_before: number;
}

/** `metrics.json`: what a report counts. Only graded attempts have one. */
export interface MetricsRecord {
  readonly schema_version: 1;
  readonly task: string;
  readonly app: string;
  readonly agent: string;
  readonly condition: string;
  readonly targets: readonly string[];
  readonly passed: boolean | null;
  readonly wall_seconds: number | null;
  readonly timed_out: boolean;
  readonly changed_files: readonly string[];
  readonly trial_dir: string;
  /** Token, call and cost figures where the agent's transcript has them. */
  readonly [metric: string]: unknown;
}
