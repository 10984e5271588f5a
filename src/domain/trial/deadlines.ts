/** How long the parts of a trial may take. The agent's own limit is the task's. */

/** One run of the test file, or of db_prepare. */
export const TEST_TIMEOUT_MS = 10 * 60_000;

/** Between TERM and KILL. */
export const KILL_GRACE_MS = 5_000;

/** Copying the template, git work, writing results. */
const OVERHEAD_MS = 5 * 60_000;

export interface TrialTimes {
  readonly agentTimeoutMs: number;
  readonly testTimeoutMs: number;
  readonly killGraceMs: number;
}

/** After this the supervisor ends the trial program: db_prepare, two test runs and the agent each had their time. */
export function programDeadlineMs(times: TrialTimes): number {
  return times.agentTimeoutMs + 3 * times.testTimeoutMs + 4 * times.killGraceMs + OVERHEAD_MS;
}
