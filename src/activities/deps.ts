import type { ProcessIdentity } from '../support/process-identity.js';
import type { StateLayout } from '../storage/state-layout.js';
import type { TrialService } from '../trial/trial-service.js';

/** What the worker's composition root hands to every activity factory. */
export interface ActivityDeps {
  readonly layout: StateLayout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trials: TrialService;
  /** Shown by the preflight: where the worker that runs it is connected to. */
  readonly temporalAddress: string;
  readonly worker: ProcessIdentity;
}
