import type { AgentKind, AgentSpec } from '../domain/experiment/experiment.js';
import type { CallContext } from '../domain/metrics/call-tally.js';
import type { AgentOutcome, EndingFlag } from '../domain/trial/ending/ending.js';
import type { VoidReason } from '../domain/trial/outcome.js';
import type { ResumeAdvice } from '../domain/trial/resume.js';
import type { AgentLaunch, AgentRun } from '../domain/trial/program-contract.js';

export interface LaunchContext {
  readonly agent: AgentSpec;
  /** On the host: what argv[0] with a slash is relative to. */
  readonly experimentDir: string;
  /** On the host: frozen prompt of this task and condition. */
  readonly promptFile: string;
  /** On the host: frozen reference patch, or null when the task has none. */
  readonly solutionFile: string | null;
  /** As seen inside the sandbox: where {@link LaunchPlan.inputs} arrive. */
  readonly inputsDir: string;
  /** The agent does not see this machine's files: what it is started from has to be among the inputs. */
  readonly isContained: boolean;
  /** Environment of everything that runs inside; an adapter adds to it what its agent needs. */
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchPlan {
  readonly launch: AgentLaunch;
  /** Host files to copy into the sandbox's inputs folder. */
  readonly inputs: readonly { readonly from: string; readonly name: string }[];
}

export interface AgentEnd {
  readonly run: AgentRun;
  /** On the host: what the agent wrote. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

export type AgentVerdict =
  | {
      readonly status: 'valid';
      /** How it ended, where the agent's own transcript tells. */
      readonly outcome?: AgentOutcome;
      readonly flags?: readonly EndingFlag[];
    }
  | {
      readonly status: 'void';
      readonly reason: VoidReason;
      readonly detail: string;
      /** Left out where nobody knows what helps. */
      readonly resume?: ResumeAdvice;
    };

/** What a transcript says about the run; every figure that is not known is left out, never 0. */
export interface TranscriptReading {
  readonly metrics: Readonly<Record<string, unknown>>;
  /** The agent's last message. */
  readonly answer: string | null;
  readonly modelReported: string | null;
}

/** One way to start a coding agent, and to tell its own failure from one of the infrastructure. */
export interface AgentAdapter {
  readonly kind: AgentKind;
  launch(context: LaunchContext): LaunchPlan;
  /** Asked after every run that did not time out; after those too where the adapter {@link judgesTimeOuts}. */
  judge(end: AgentEnd): AgentVerdict | Promise<AgentVerdict>;
  /**
   * Its transcript tells an agent that worked to the end from a CLI that only tried to reach its model.
   * Otherwise a time-out is the agent's result. @defaultValue false
   */
  readonly judgesTimeOuts?: boolean;
  readonly readTranscript?: (
    stdoutFile: string,
    context: CallContext,
  ) => Promise<TranscriptReading>;
}

export const VALID: AgentVerdict = { status: 'valid' };

/** How a process ended, in words for a reader. */
export function endedHow(run: Pick<AgentRun, 'exit' | 'signal'>): string {
  return run.exit === null ? `ended by ${run.signal ?? 'an unknown signal'}` : `exit ${run.exit}`;
}
