/** What became of an attempt, and what the grid does about it. */

/** `valid`: a result. `void`: nothing was learnt about the agent. `ungraded`: the tests could not run afterwards. */
export type TrialStatus = 'valid' | 'void' | 'ungraded';

interface VoidRule {
  /** Whether the same grid runs the cell again (up to {@link MAX_VOID_RERUNS} more times). */
  readonly rerun: boolean;
}

/** Every reason an attempt can be void. The key is stored as `aborted` in meta.json. */
export const VOID_REASONS = {
  suite_did_not_run: { rerun: false },
  bug_did_not_reproduce: { rerun: false },
  prompt_missing: { rerun: false },
  solution_did_not_apply: { rerun: false },
  agent_not_runnable: { rerun: false },
  agent_setup_failed: { rerun: false },
  agent_killed: { rerun: true },
  setup_failed: { rerun: false },
  isolation_failed: { rerun: false },
  sandbox_failed: { rerun: false },
  image_gone: { rerun: false },
  out_of_memory: { rerun: false },
  disk_full: { rerun: true },
  login: { rerun: false },
  contaminated: { rerun: false },
  model_differs: { rerun: false },
  model_unavailable: { rerun: false },
  nothing_done: { rerun: false },
  cancelled: { rerun: false },
  host_slept: { rerun: true },
  supervisor_died: { rerun: true },
  overload: { rerun: true },
  network: { rerun: true },
  quota: { rerun: true },
  unknown_error: { rerun: false },
} as const satisfies Record<string, VoidRule>;

export type VoidReason = keyof typeof VOID_REASONS;

export const MAX_VOID_RERUNS = 2;

export function isVoidReason(text: string): text is VoidReason {
  return Object.hasOwn(VOID_REASONS, text);
}
