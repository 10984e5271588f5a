import type { AgentKind, AgentSpec } from '../domain/experiment/experiment.js';
import type { CallContext } from '../domain/metrics/call-tally.js';
import type { AgentOutcome, EndedBy, EndingFlag } from '../domain/trial/ending/ending.js';
import type { StartExpectations } from '../domain/trial/hermeticity.js';
import type { VoidReason } from '../domain/trial/outcome.js';
import type { ResumeAdvice } from '../domain/trial/resume.js';
import type { AgentLaunch, AgentRun } from '../domain/trial/program-contract.js';
import type { ModelApi } from './model-access.js';

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
  /** As seen inside the sandbox: where the agent works. */
  readonly checkoutDir: string;
  /** Where the agent finds the API of its model. */
  readonly model: ModelApi | null;
  /** The trial may reach more than its model, so tools that search the web are no way around its network. */
  readonly hasWeb: boolean;
  /** The agent does not see this machine's files: what it is started from has to be among the inputs. */
  readonly isContained: boolean;
  /** Environment of everything that runs inside; an adapter adds to it what its agent needs. */
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchPlan {
  readonly launch: AgentLaunch;
  /** Host files to copy into the sandbox's inputs folder. */
  readonly inputs: readonly { readonly from: string; readonly name: string }[];
  /** Settings to write below HOME, for the agent alone to read. @defaultValue none */
  readonly settings?: readonly SettingsFile[];
}

export interface SettingsFile {
  /** Relative to HOME. */
  readonly path: string;
  /** Holds no secret. */
  readonly text: string;
}

export interface AgentEnd {
  readonly run: AgentRun;
  /** On the host: what the agent wrote. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** What a run is judged against. Everything may be left out. */
export interface RunExpectations extends StartExpectations {
  /** As in experiment.yml; null: the CLI's own default. */
  readonly modelRequested?: string | null;
  /** `TZ` of the CLI process. @defaultValue UTC */
  readonly timeZone?: string;
  /** Which watchdog ended it. @defaultValue `wall-clock` when the run timed out */
  readonly endedBy?: EndedBy | null;
  /** codex: its `rollout-*.jsonl`, when it keeps one. */
  readonly sessionFile?: string | null;
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
  judge(end: AgentEnd, expected: RunExpectations): AgentVerdict | Promise<AgentVerdict>;
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

/** What a shell answers for a program that is not executable (126) or not there (127). */
export const NOT_RUNNABLE: readonly (number | null)[] = [126, 127];
