import type { CredentialPlan } from '../../agents/credential-plan.js';
import type { Runtime, Sandbox, SandboxStage } from '../../runtimes/runtime.js';
import type { TrialFiles } from '../trial-files.js';

/** What a supervisor gives the stages of its trial. */
export interface StageHost {
  readonly runtime: Runtime;
  readonly files: TrialFiles;
  /** How the agent gets at its model; never `unusable`. */
  readonly credentials: CredentialPlan;
  /** Makes a sandbox of the trial, with its network. */
  readonly prepare: (stage: SandboxStage, root: string) => Promise<Sandbox>;
  /** Once the first sandbox is there and being filled. */
  readonly onPrepared: (sandbox: Sandbox) => Promise<void>;
  readonly onGrading: () => void;
  readonly signal: AbortSignal;
  readonly holdFd: number | null;
}
