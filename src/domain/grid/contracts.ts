/** What travels between client, workflows and activities. Everything here lands in Temporal history: no secret, prompt text or host path. */

import type { Check, Verdict } from '../preflight/check.js';
import type { GridFilters, PlannedCell } from '../plan/cell.js';
import type { TrialStatus } from '../trial/outcome.js';
import type { ResumeAdvice } from '../trial/resume.js';

/** Names a frozen plan without saying where it is; the worker finds the folder in its state folder. */
export interface PlanRef {
  readonly experimentKey: string;
  /** sha256 over the frozen content (experiment.yml, prompts, solutions, commit ids). */
  readonly frozenId: string;
}

export interface GridInput {
  readonly plan: PlanRef;
  readonly experimentName: string;
  readonly hostId: string;
  readonly planHash: string;
  readonly filters: GridFilters;
  readonly redoDone: boolean;
  readonly repeats: number;
  readonly approvalMs: number;
  readonly maxConsecutiveVoids: number;
  readonly longestTrialMs: number;
  /** Set by `--approve-yellow`: recorded as the approval of a YELLOW verdict. */
  readonly preApproval: Approval | null;
  /** False where the server refused to register them; the memo has the same facts. */
  readonly useSearchAttributes: boolean;
  /** Only on continue-as-new. */
  readonly carry: GridCarry | null;
}

export interface GridCarry {
  readonly runListId: string;
  readonly cursor: number;
  readonly counters: GridCounters;
  readonly failures: readonly CellFailure[];
  readonly preflight: PreflightReport | null;
  /** Why the grid is to pause, set by a person just before the run ended. */
  readonly pauseReason: string | null;
  /** Indexes of cells a person wants left out. */
  readonly skipped: readonly number[];
  /** Agents that can't run here; left out in the histories of earlier versions. */
  readonly stoppedArms?: readonly StoppedArm[];
}

/** An agent none of whose cells is started any more. */
export interface StoppedArm {
  readonly agent: string;
  /** Null: with every task. */
  readonly task: string | null;
  /** Why, in one sentence. */
  readonly error: string;
  readonly hint: string | null;
}

export interface GridCounters {
  readonly total: number;
  readonly attempted: number;
  readonly passed: number;
  readonly failed: number;
  /** Cells that ended without a counted result. */
  readonly withoutResult: number;
  /** Cells another grid had finished meanwhile. */
  readonly alreadyDone: number;
  readonly consecutiveVoids: number;
  readonly spentUsd: number;
}

export interface CellFailure {
  readonly task: string;
  readonly agent: string;
  readonly condition: string;
  readonly code: string;
  readonly error: string;
  /** What mends it: the next command or edit; null when the error says it all. */
  readonly hint: string | null;
}

/** `ran` = total − failures (seed A); a trial in which the agent did not fix the bug is a result. */
export interface GridResult {
  readonly total: number;
  readonly ran: number;
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly CellFailure[];
  readonly failuresOmitted: number;
  /** Null when the grid ran; else why it stopped before any trial. */
  readonly stopped: 'red' | 'rejected' | 'expired' | 'cancelled' | null;
  /** What a person gave as the reason of a rejection; null otherwise. */
  readonly stoppedReason: string | null;
}

export interface Approval {
  readonly by: string;
  readonly reason: string;
}

export interface ApprovalMessage {
  readonly by?: string;
  readonly reason?: string;
  /** Short hash shown with the checks; without it the message means what is shown now. */
  readonly hash?: string;
}

export interface PreflightReport {
  readonly checks: readonly Check[];
  readonly verdict: Verdict;
  /** First 12 hex of sha256 over plan hash and `code:status` of all checks. */
  readonly hash: string;
}

export interface PreflightInput {
  readonly plan: PlanRef;
  readonly hostId: string;
  readonly planHash: string;
  readonly filters: GridFilters;
  readonly redoDone: boolean;
  readonly approvalMs: number;
  readonly preApproval: Approval | null;
  readonly useSearchAttributes: boolean;
}

export interface PreflightResult extends PreflightReport {
  readonly outcome: 'go' | 'red' | 'rejected' | 'expired';
  readonly approval: Approval | null;
}

/** What the `state` query of both workflows answers. */
export interface GridState {
  readonly phase: 'preflight' | 'waiting' | 'running' | 'paused' | 'quota' | 'done' | 'stopped';
  readonly verdict: Verdict | null;
  readonly preflight: PreflightReport | null;
  readonly counters: GridCounters;
  readonly running: (PlannedCell & { readonly startedAt: string }) | null;
  /** Why the grid is paused or stopped, in one sentence; null otherwise. */
  readonly reason: string | null;
  readonly failures: readonly CellFailure[];
}

/** From the preflight child to its grid, so that both answer the same. */
export interface PreflightChange {
  readonly phase: 'preflight' | 'waiting' | 'done' | 'stopped';
  readonly report: PreflightReport | null;
}

export interface RunList {
  /** Names the list of pending cells in the worker's state folder. */
  readonly runListId: string;
  readonly total: number;
}

export interface RunTrialInput {
  readonly plan: PlanRef;
  readonly cell: PlannedCell;
  /** `YYYYMMDDTHHMMSSZ`, workflow time. */
  readonly stamp: string;
  /** Same on every retry of this request: a finished record that carries it is the answer. */
  readonly requestId: string;
  readonly redoDone: boolean;
}

export interface RunTrialResult {
  readonly status: TrialStatus | 'already-done' | 'not-started';
  readonly passed: boolean | null;
  /** Void reason or error code; null for a counted result. */
  readonly code: string | null;
  readonly error: string | null;
  /** What mends it, with its placeholders filled; null when there is nothing to do. */
  readonly hint: string | null;
  readonly costUsd: number | null;
  readonly stamp: string | null;
  /** Void attempts only; left out where the reason alone says it. */
  readonly resume?: ResumeAdvice;
}

export interface Builds {
  /** Apps whose template could not be made: their cells are recorded as failures, the others run. */
  readonly failed: readonly {
    readonly app: string;
    readonly tasks: readonly string[];
    readonly code: string;
    readonly error: string;
  }[];
}

export interface ReportSummary {
  readonly trials: number;
  readonly counted: number;
}

/** Activities of the host queue. `runTrial` alone has a queue of its own. */
export interface HostActivities {
  openRunList(input: {
    readonly plan: PlanRef;
    readonly filters: GridFilters;
    readonly redoDone: boolean;
    /** Workflow run id of the first run: the same list on every retry. */
    readonly runListId: string;
  }): Promise<RunList>;
  loadRunPage(input: {
    readonly plan: PlanRef;
    readonly runListId: string;
    readonly cursor: number;
    readonly limit: number;
  }): Promise<readonly PlannedCell[]>;
  ensureBuilder(input: { readonly plan: PlanRef; readonly filters: GridFilters }): Promise<Builds>;
  ensureDisk(input: { readonly plan: PlanRef }): Promise<void>;
  preflight(input: PreflightInput): Promise<PreflightReport>;
  /** Ends the open attempt of a request as cancelled; one that is closed or never was is fine. */
  stopTrial(input: Pick<RunTrialInput, 'plan' | 'cell' | 'requestId'>): Promise<void>;
  report(input: { readonly plan: PlanRef }): Promise<ReportSummary>;
}

export interface TrialActivities {
  runTrial(input: RunTrialInput): Promise<RunTrialResult>;
}
