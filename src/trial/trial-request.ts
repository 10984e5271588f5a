import type { RuntimeKind } from '../domain/experiment/experiment.js';
import type { Cell } from '../domain/plan/cell.js';
import type { StateLayout } from '../storage/state-layout.js';
import type { SupervisorSpec, TrialFacts } from './supervisor-spec.js';

/** One cell that wants a result, as attach-or-start sees it. */
export interface TrialRequest {
  readonly experimentKey: string;
  readonly experimentDir: string;
  readonly cell: Cell;
  /** Same on every retry: a closed attempt that was claimed under it is the answer. */
  readonly requestId: string;
  /** Wanted stamp; a later one is taken when the cell has it already. */
  readonly stamp: string;
  /** Run although the cell has its results. */
  readonly redoDone: boolean;
  readonly promptFile: string;
  readonly runtime: RuntimeKind;
  readonly facts: Omit<TrialFacts, 'repeat' | 'stamp'>;
  /** Makes ready what every attempt shares (the app's template). Called before anything is claimed. */
  readonly prepare: () => Promise<PreparedTrial>;
}

/** The spec but for what the claim decides. */
export type PreparedTrial = Omit<
  SupervisorSpec,
  'schemaVersion' | 'marker' | 'hostLock' | 'attemptDir' | 'facts' | 'experimentDir'
>;

export interface TrialHost {
  readonly layout: StateLayout;
  readonly stateId: string;
  /** The bundled supervisor. */
  readonly supervisorFile: string;
  /** Environment of the supervisor. */
  readonly supervisorEnv: Readonly<Record<string, string>>;
  /** @see SupervisorSpec.hostLock */
  readonly hostLock: string;
}

export interface WaitOptions {
  /** Detaches: the call ends with the signal's reason, the trial goes on. */
  readonly signal?: AbortSignal;
  /**
   * Explicit cancel: nothing is started any more, and nobody else's trial is waited for. A trial of the
   * request itself is still waited for: it is stopped, and records that.
   */
  readonly cancel?: AbortSignal;
  readonly onProgress?: (progress: TrialProgress) => void;
}

/** `progress.json`, for people and heartbeats; nothing depends on it. */
export interface TrialProgress {
  readonly schemaVersion: 1;
  /** `waiting` (for the host), `preparing`, a phase of the trial program, `closing`. */
  readonly phase: string;
  readonly since: string;
}
