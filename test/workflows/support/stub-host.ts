import type {
  GridInput,
  HostActivities,
  PreflightReport,
  RunTrialInput,
  RunTrialResult,
  TrialActivities,
} from '../../../src/domain/grid/contracts.js';
import type { PlannedCell } from '../../../src/domain/plan/cell.js';
import { NO_FILTERS } from '../../../src/domain/plan/cell.js';
import type { ResumeAdvice } from '../../../src/domain/trial/resume.js';
import type { Check, CheckStatus } from '../../../src/domain/preflight/check.js';
import { verdictOf } from '../../../src/domain/preflight/check.js';

export function report(status: CheckStatus, hash: string = status): PreflightReport {
  const checks: readonly Check[] = [
    { code: 'prompts', name: 'prompts', status, detail: 'as told', hint: null },
  ];
  return { checks, verdict: verdictOf(checks), hash };
}

export function cells(count: number): readonly PlannedCell[] {
  return Array.from({ length: count }, (_, at) => ({
    task: `t${at + 1}`,
    agent: 'nop',
    condition: 'base',
    repeat: 1,
    index: at + 1,
    done: false,
  }));
}

export const VALID_PASS: RunTrialResult = {
  status: 'valid',
  passed: true,
  code: null,
  error: null,
  hint: null,
  costUsd: 0.5,
  stamp: '20300101T000000Z',
};

export function voided(code: string, resume?: ResumeAdvice): RunTrialResult {
  const error = `told: ${code}`;
  const said = {
    status: 'void',
    passed: null,
    code,
    error,
    hint: null,
    costUsd: null,
    stamp: null,
  };
  return { ...said, status: 'void', ...(resume === undefined ? {} : { resume }) };
}

export interface StubHost {
  readonly host: HostActivities;
  readonly trial: TrialActivities;
  /** Every trial asked for, in order. */
  readonly asked: RunTrialInput[];
  readonly preflights: () => number;
  /** Requests whose trial was told to stop. */
  readonly stopped: string[];
}

/** A host that answers as a test tells it: the activity port without disk, processes or agents. */
export function stubHost(options: {
  readonly cells: readonly PlannedCell[];
  readonly preflight: (call: number) => PreflightReport;
  readonly trial?: (input: RunTrialInput, call: number) => RunTrialResult | Promise<RunTrialResult>;
  readonly ensureDisk?: (call: number) => void;
}): StubHost {
  const asked: RunTrialInput[] = [];
  const stopped: string[] = [];
  let preflights = 0;
  let diskChecks = 0;
  return {
    asked,
    stopped,
    preflights: () => preflights,
    host: {
      openRunList: async ({ runListId }) => ({ runListId, total: options.cells.length }),
      loadRunPage: async ({ cursor, limit }) => options.cells.slice(cursor, cursor + limit),
      ensureBuilder: async () => ({ failed: [] }),
      ensureDisk: async () => options.ensureDisk?.(diskChecks++),
      preflight: async () => options.preflight(preflights++),
      stopTrial: async ({ requestId }) => {
        stopped.push(requestId);
      },
      report: async () => ({ trials: asked.length, counted: asked.length }),
    },
    trial: {
      runTrial: async (input) => {
        asked.push(input);
        return options.trial?.(input, asked.length - 1) ?? VALID_PASS;
      },
    },
  };
}

export function gridInput(hostId: string, changes: Partial<GridInput> = {}): GridInput {
  return {
    plan: { experimentKey: 'demo-00000000', frozenId: 'f'.repeat(32) },
    experimentName: 'demo',
    hostId,
    planHash: 'p',
    filters: NO_FILTERS,
    redoDone: false,
    repeats: 1,
    approvalMs: 7 * 24 * 3_600_000,
    maxConsecutiveVoids: 5,
    longestTrialMs: 60_000,
    preApproval: null,
    useSearchAttributes: false,
    carry: null,
    ...changes,
  };
}
