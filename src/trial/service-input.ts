import type { RunTrialInput } from '../domain/grid/contracts.js';
import type { StateLayout } from '../storage/state-layout.js';

/** What the trial service is made from. */
export interface TrialServiceOptions {
  readonly state: StateLayout;
  /** The bundled trial program. */
  readonly programFile: string;
  /** The bundled supervisor. */
  readonly supervisorFile: string;
  readonly engineVersion: string;
  /** Lock that keeps trials of one host apart, across users and state folders. @defaultValue host-trial */
  readonly hostLock?: string;
}

/** One cell that a grid, or a person, wants a result for. */
export type TrialInput = RunTrialInput & {
  readonly workflowId: string | null;
  readonly runId: string | null;
};
