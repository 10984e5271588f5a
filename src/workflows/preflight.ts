import {
  condition,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  ApprovalMessage,
  GridState,
  HostActivities,
  PreflightChange,
  PreflightInput,
  PreflightReport,
  PreflightResult,
} from '../domain/grid/contracts.js';
import { EMPTY_COUNTERS } from '../domain/grid/counters.js';
import { checksAsMarkdown } from '../domain/preflight/markdown.js';
import { NON_RETRYABLE_CODES } from '../errors/table.js';
import { assertAnswerable, decisionOf, isFor, type Decision } from './approval.js';
import {
  approveSignal,
  approveUpdate,
  preflightChangedSignal,
  rejectSignal,
  rejectUpdate,
  stateQuery,
} from './messages.js';
import { publishFacts } from './publish.js';

const { preflight: runChecks } = proxyActivities<Pick<HostActivities, 'preflight'>>({
  startToCloseTimeout: '2 minutes',
  retry: {
    initialInterval: '1 second',
    maximumAttempts: 3,
    nonRetryableErrorTypes: [...NON_RETRYABLE_CODES],
  },
});

/**
 * Probes the host and the plan, and on YELLOW waits for a person. Never fails for what it found: the
 * outcome is in the result.
 */
export async function preflightWorkflow(input: PreflightInput): Promise<PreflightResult> {
  const preflight = new Preflight(input);
  preflight.listen();
  return preflight.run();
}

class Preflight {
  private phase: PreflightChange['phase'] = 'preflight';
  private shown: PreflightReport | null = null;
  private decision: Decision | null = null;

  constructor(private readonly input: PreflightInput) {}

  /** Handlers are there before the first await: a signal may be older than the first task. */
  listen(): void {
    setHandler(stateQuery, () => this.state(), { description: 'Phase, verdict and checks' });
    const answer =
      (kind: Decision['kind']) =>
      (message?: ApprovalMessage): string =>
        this.take(kind, message);
    const validator = (message?: ApprovalMessage): void => {
      assertAnswerable(message, this.state());
    };
    setHandler(approveSignal, (message) => void this.take('approved', message), {
      description: 'Let a YELLOW grid run: {"reason": "…", "by": "…"}',
    });
    setHandler(rejectSignal, (message) => void this.take('rejected', message), {
      description: 'Stop a YELLOW grid: {"reason": "…", "by": "…"}',
    });
    setHandler(approveUpdate, answer('approved'), { validator });
    setHandler(rejectUpdate, answer('rejected'), { validator });
  }

  async run(): Promise<PreflightResult> {
    const { preApproval } = this.input;
    let report = await runChecks(this.input);
    for (;;) {
      if (report.verdict === 'RED') return this.end(report, 'red', null);
      if (report.verdict === 'GREEN') return this.end(report, 'go', null);
      if (preApproval !== null) return this.end(report, 'go', preApproval);

      const decision = await this.waitForPerson(report);
      if (decision === null) return this.end(report, 'expired', null);
      if (decision.kind === 'rejected') return this.end(report, 'rejected', decision.approval);
      // Days may have passed: what was approved must still be what is there.
      const again = await runChecks(this.input);
      if (again.hash === report.hash) return this.end(again, 'go', decision.approval);
      report = again;
    }
  }

  private state(): GridState {
    return {
      phase: this.phase,
      verdict: this.shown?.verdict ?? null,
      preflight: this.shown,
      counters: EMPTY_COUNTERS,
      running: null,
      reason: null,
      failures: [],
    };
  }

  private take(kind: Decision['kind'], message: ApprovalMessage | undefined): string {
    if (this.phase !== 'waiting' || !isFor(message, this.shown)) {
      log.warn('an answer came that fits nothing shown; it is ignored');
      return 'ignored';
    }
    this.decision ??= decisionOf(kind, message);
    return this.decision.kind;
  }

  private async waitForPerson(report: PreflightReport): Promise<Decision | null> {
    this.decision = null;
    await this.show('waiting', report);
    await condition(() => this.decision !== null, this.input.approvalMs, {
      summary: 'waiting for approve or reject',
    });
    return this.decision;
  }

  private async end(
    report: PreflightReport,
    outcome: PreflightResult['outcome'],
    approval: PreflightResult['approval'],
  ): Promise<PreflightResult> {
    await this.show(outcome === 'go' ? 'done' : 'stopped', report);
    return { ...report, outcome, approval };
  }

  private async show(phase: PreflightChange['phase'], report: PreflightReport): Promise<void> {
    this.phase = phase;
    this.shown = report;
    setCurrentDetails(checksAsMarkdown(report.verdict, report.checks));
    publishFacts(this.input.useSearchAttributes, { phase, verdict: report.verdict });
    await tellParent({ phase, report });
  }
}

async function tellParent(change: PreflightChange): Promise<void> {
  const parent = workflowInfo().parent;
  if (parent === undefined) return;
  await getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(
    preflightChangedSignal,
    change,
  );
}
