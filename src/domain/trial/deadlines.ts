import type { TrialPhase } from './program-contract.js';

/** How long the parts of a trial may take. The agent's own limit is the task's. */

/** One run of the test file, or of db_prepare. */
export const TEST_TIMEOUT_MS = 10 * 60_000;

/** Between TERM and KILL. */
export const KILL_GRACE_MS = 5_000;

/** Copying the template, git work, writing results. */
const OVERHEAD_MS = 5 * 60_000;

/** db_prepare and the test, each before the agent, after it, and once more without its change. */
const SHELL_RUNS = 6;

export interface TrialTimes {
  readonly agentTimeoutMs: number;
  readonly testTimeoutMs: number;
  readonly killGraceMs: number;
}

/** After this the supervisor ends the trial program: the agent and every other run had their time and grace. */
export function programDeadlineMs(times: TrialTimes): number {
  const { agentTimeoutMs, testTimeoutMs, killGraceMs } = times;
  const runsMs = agentTimeoutMs + SHELL_RUNS * testTimeoutMs;
  return runsMs + (1 + SHELL_RUNS) * killGraceMs + OVERHEAD_MS;
}

/** db_prepare and the test. */
const RUNS_OF_A_TEST = 2;

/** After this a phase is held up: the program ends the agent, and a test, before. */
export function phaseDeadlineMs(phase: TrialPhase, times: TrialTimes): number {
  const { agentTimeoutMs, testTimeoutMs, killGraceMs } = times;
  const runsMs = phase === 'agent' ? agentTimeoutMs : RUNS_OF_A_TEST * testTimeoutMs;
  return runsMs + 2 * killGraceMs;
}
