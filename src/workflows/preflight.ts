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
  let phase: PreflightChange['phase'] = 'preflight';
  let shown: PreflightReport | null = null;
  let decision: Decision | null = null;

  setHandler(
    stateQuery,
    (): GridState => ({
      phase,
      verdict: shown?.verdict ?? null,
      preflight: shown,
      counters: EMPTY_COUNTERS,
      running: null,
      reason: null,
      failures: [],
    }),
    { description: 'Phase, verdict and checks' },
  );
  const answer = (kind: Decision['kind']) => {
    return (message?: Parameters<typeof decisionOf>[1]): string => {
      if (phase !== 'waiting' || !isFor(message, shown)) {
        log.warn('an answer came that fits nothing shown; it is ignored');
        return 'ignored';
      }
      decision ??= decisionOf(kind, message);
      return decision.kind;
    };
  };
  const validator = (message?: Parameters<typeof decisionOf>[1]): void => {
    assertAnswerable(message, { phase, preflight: shown });
  };
  setHandler(approveSignal, (message) => void answer('approved')(message), {
    description: 'Let a YELLOW grid run: {"reason": "…", "by": "…"}',
  });
  setHandler(rejectSignal, (message) => void answer('rejected')(message), {
    description: 'Stop a YELLOW grid: {"reason": "…", "by": "…"}',
  });
  setHandler(approveUpdate, answer('approved'), { validator });
  setHandler(rejectUpdate, answer('rejected'), { validator });

  const show = async (next: PreflightChange['phase'], report: PreflightReport): Promise<void> => {
    phase = next;
    shown = report;
    setCurrentDetails(checksAsMarkdown(report.verdict, report.checks));
    publishFacts(input.useSearchAttributes, { phase: next, verdict: report.verdict });
    await tellParent({ phase: next, report });
  };

  let report = await runChecks(input);
  for (;;) {
    if (report.verdict === 'RED') {
      await show('stopped', report);
      return { ...report, outcome: 'red', approval: null };
    }
    if (report.verdict === 'GREEN' || input.preApproval !== null) {
      await show('done', report);
      const approval = report.verdict === 'GREEN' ? null : input.preApproval;
      return { ...report, outcome: 'go', approval };
    }

    decision = null;
    await show('waiting', report);
    const answered = await condition(() => decision !== null, input.approvalMs, {
      summary: 'waiting for approve or reject',
    });
    // TypeScript can't see that a handler assigns it meanwhile.
    const taken = decision as Decision | null;
    if (!answered || taken === null) {
      await show('stopped', report);
      return { ...report, outcome: 'expired', approval: null };
    }
    if (taken.kind === 'rejected') {
      await show('stopped', report);
      return { ...report, outcome: 'rejected', approval: taken.approval };
    }
    // Days may have passed: what was approved must still be what is there.
    const again = await runChecks(input);
    if (again.hash === report.hash) {
      await show('done', again);
      return { ...again, outcome: 'go', approval: taken.approval };
    }
    report = again;
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
