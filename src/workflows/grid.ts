import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
  type WorkflowInfo,
} from '@temporalio/workflow';
import type {
  ApprovalMessage,
  GridInput,
  GridResult,
  HostActivities,
  PreflightResult,
  RunTrialResult,
  StoppedArm,
  TrialActivities,
} from '../domain/grid/contracts.js';
import { countCell, gridResult, outcomeOf } from '../domain/grid/counters.js';
import { preflightIdOf, trialTaskQueue } from '../domain/grid/ids.js';
import { rerunAfter } from '../domain/grid/rerun.js';
import { cellLabel, type PlannedCell } from '../domain/plan/cell.js';
import { stampOf } from '../domain/trial/stamp.js';
import { NON_RETRYABLE_CODES } from '../errors/table.js';
import { assertAnswerable } from './approval.js';
import { Control } from './control.js';
import { GridProgress } from './grid-state.js';
import {
  approveSignal,
  approveUpdate,
  preflightChangedSignal,
  rejectSignal,
  rejectUpdate,
  stateQuery,
} from './messages.js';
import { preflightWorkflow } from './preflight.js';

const PAGE_SIZE = 200;
/**
 * About 140 cells. The server suggests a new run at 4,096 events only, but a worker that starts again has to
 * replay the run it is in before it does anything else, which takes seconds on a busy machine.
 */
const MAX_HISTORY_EVENTS = 2_000;

const host = proxyActivities<HostActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '30 seconds',
  retry: {
    initialInterval: '1 second',
    maximumAttempts: 5,
    nonRetryableErrorTypes: [...NON_RETRYABLE_CODES],
  },
});

/**
 * Walks the pending cells in order, one trial at a time. Failures are data: the grid carries on, and
 * its result lists them.
 */
export async function gridWorkflow(input: GridInput): Promise<GridResult> {
  const grid = new Grid(input);
  grid.listen();
  try {
    return await grid.control.grid.run(() => grid.run());
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => grid.close('cancelled'));
  }
}

class Grid {
  private readonly progress: GridProgress;
  readonly control: Control;
  private preflight: ChildWorkflowHandle<typeof preflightWorkflow> | null = null;
  private stoppedArms: readonly StoppedArm[];

  constructor(private readonly input: GridInput) {
    this.progress = new GridProgress(input);
    this.stoppedArms = input.carry?.stoppedArms ?? [];
    this.control = new Control(
      input.carry,
      () => this.progress.state(),
      () => {
        this.progress.counters = { ...this.progress.counters, consecutiveVoids: 0 };
      },
    );
  }

  /** Handlers are there before the first await: a signal may be older than the first task. */
  listen(): void {
    setHandler(stateQuery, () => this.progress.state(), { description: 'Phase and counters' });
    setHandler(preflightChangedSignal, ({ phase, report }) => {
      this.progress.checked(phase === 'done' ? 'running' : phase, report);
    });
    const forward = (definition: typeof approveSignal | typeof rejectSignal) => {
      return async (message?: ApprovalMessage): Promise<string> => {
        if (this.preflight === null) {
          log.warn('an answer came before the preflight; it is ignored');
          return 'ignored';
        }
        await this.preflight.signal(definition, message);
        return definition.name === 'approve' ? 'approved' : 'rejected';
      };
    };
    const approve = forward(approveSignal);
    const reject = forward(rejectSignal);
    const validator = (message?: ApprovalMessage): void => {
      assertAnswerable(message, this.progress.state());
    };
    setHandler(approveSignal, async (message) => void (await approve(message)), {
      description: 'Let a YELLOW grid run: {"reason": "…", "by": "…"}',
    });
    setHandler(rejectSignal, async (message) => void (await reject(message)), {
      description: 'Stop a YELLOW grid: {"reason": "…", "by": "…"}',
    });
    setHandler(approveUpdate, approve, { validator });
    setHandler(rejectUpdate, reject, { validator });
    this.control.listen();
  }

  async run(): Promise<GridResult> {
    const { carry, plan, filters, redoDone } = this.input;
    let cursor = carry?.cursor ?? 0;
    const runListId = carry?.runListId ?? workflowInfo().firstExecutionRunId;
    if (carry === null) {
      const list = await host.openRunList({ plan, filters, redoDone, runListId });
      this.progress.counters = { ...this.progress.counters, total: list.total };
      if (list.total === 0) return this.close(null);
      const checked = await this.check();
      if (checked.outcome !== 'go') {
        return this.close(checked.outcome, checked.approval?.reason ?? null);
      }
    }
    this.progress.enter('running');
    const broken = await this.build();

    for (;;) {
      const page = await host.loadRunPage({ plan, runListId, cursor, limit: PAGE_SIZE });
      if (page.length === 0) return this.close(null);
      for (const cell of page) {
        await this.gate();
        await this.runCell(cell, broken.get(cell.task) ?? null);
        cursor += 1;
        if (isLong(workflowInfo())) await this.continueFrom(runListId, cursor);
      }
    }
  }

  private async check(): Promise<PreflightResult> {
    this.preflight = await startChild(preflightWorkflow, {
      workflowId: preflightIdOf(workflowInfo().workflowId),
      args: [this.input],
      staticSummary: `preflight of ${this.input.experimentName}`,
    });
    return this.preflight.result();
  }

  /** @returns failure by task, for the apps that can't be built */
  private async build(): Promise<ReadonlyMap<string, RunTrialResult>> {
    const { plan, filters } = this.input;
    const { failed } = await host.ensureBuilder({ plan, filters });
    return new Map(
      failed.flatMap(({ tasks, code, error }) =>
        tasks.map((task) => [task, notRun(code, error)] as const),
      ),
    );
  }

  /** Waits while the grid is paused, by a person or because trial after trial says nothing. */
  private async gate(): Promise<void> {
    const { consecutiveVoids } = this.progress.counters;
    if (consecutiveVoids >= this.input.maxConsecutiveVoids) {
      this.control.pause(`${consecutiveVoids} trials in a row gave no result`);
    }
    await this.waitWhilePaused();
  }

  private async waitWhilePaused(): Promise<void> {
    if (this.control.reason === null) return;
    this.progress.enter('paused', this.control.reason);
    await condition(() => this.control.reason === null);
    this.progress.enter('running');
  }

  private async runCell(cell: PlannedCell, broken: RunTrialResult | null): Promise<void> {
    const result = broken ?? (await this.resultOf(cell));
    this.progress.counters = countCell(this.progress.counters, result);
    const hasResult = result.status === 'valid' || result.status === 'already-done';
    const code = result.code ?? (result.status === 'ungraded' ? 'ungraded' : 'unexpected');
    this.progress.ended(
      cell,
      outcomeOf(result),
      hasResult
        ? null
        : {
            task: cell.task,
            agent: cell.agent,
            condition: cell.condition,
            code,
            error: result.error ?? code,
            hint: result.hint,
          },
    );
  }

  private async resultOf(cell: PlannedCell): Promise<RunTrialResult> {
    const skipped = notRun('skipped', 'left out by a person');
    if (this.control.isSkipped(cell.index)) return skipped;
    const stopped = this.stoppedArms.find((arm) => isOfArm(cell, arm));
    if (stopped !== undefined) return notRun('arm_stopped', stopped.error, stopped.hint);
    try {
      return await this.control.skippable(cell.index, () => this.trialWithReruns(cell));
    } catch (error) {
      // The whole grid may be cancelled at the same moment: then it ends here.
      if (!isCancellation(error) || this.control.grid.consideredCancelled) throw error;
      return skipped;
    }
  }

  private async trialWithReruns(cell: PlannedCell): Promise<RunTrialResult> {
    for (let attempt = 0; ; attempt++) {
      const result = await this.trial(cell, attempt);
      const rerun = rerunAfter(result, attempt, Date.now());
      if (rerun === null) {
        this.heed(cell, result);
        return result;
      }
      if (rerun.waitMs === 0) continue;
      this.progress.enter('quota', rerun.reason);
      await this.control.wait(rerun.waitMs);
      await this.waitWhilePaused();
    }
  }

  /** What would meet the cells after this one as well is not tried with each of them. */
  private heed(cell: PlannedCell, { resume, error, hint }: RunTrialResult): void {
    const said = error ?? 'it can’t run here';
    if (resume?.kind === 'stop-grid') {
      this.control.pause(hint === null ? said : `${said}; ${hint}`);
    }
    if (resume?.kind === 'stop-arm') {
      const task = resume.scope === 'task' ? cell.task : null;
      this.stoppedArms = [...this.stoppedArms, { agent: cell.agent, task, error: said, hint }];
    }
  }

  private async trial(cell: PlannedCell, attempt: number): Promise<RunTrialResult> {
    const { plan, hostId, repeats, redoDone, longestTrialMs } = this.input;
    const label = `cell ${cell.index}/${this.progress.counters.total} · ${cellLabel(cell, repeats)}`;
    for (;;) {
      const now = new Date().toISOString();
      this.progress.started(cell, now);
      try {
        await host.ensureDisk({ plan });
      } catch (error) {
        const failure = applicationFailureOf(error);
        if (failure === null || !isDiskTrouble(failure)) throw error;
        await this.pauseFor(failure);
        continue;
      }
      const { runTrial } = proxyActivities<TrialActivities>({
        taskQueue: trialTaskQueue(hostId),
        summary: label,
        // Waiting for another grid's trial on this host counts too; a time-out only attaches again.
        startToCloseTimeout: longestTrialMs + 60 * 60_000,
        heartbeatTimeout: '8 seconds',
        // The SDK's documentation calls this the default; it is not.
        cancellationType: 'WAIT_CANCELLATION_COMPLETED',
        retry: {
          initialInterval: '1 second',
          backoffCoefficient: 1,
          maximumInterval: '1 second',
          nonRetryableErrorTypes: [...NON_RETRYABLE_CODES],
        },
      });
      const requestId = `${workflowInfo().firstExecutionRunId}/${cell.index}/${attempt}`;
      try {
        return await runTrial({ plan, cell, stamp: stampOf(now), requestId, redoDone });
      } catch (error) {
        // Should the worker have died meanwhile, nobody has told the trial yet. The activity then ends with
        // a time-out, which is no cancellation.
        if (isCancellation(error) || CancellationScope.current().consideredCancelled) {
          await this.stopTrial(cell, requestId);
          throw isCancellation(error) ? error : new CancelledFailure('cancelled while it ran');
        }
        const failure = applicationFailureOf(error);
        if (failure === null) throw error;
        if (isDiskTrouble(failure)) await this.pauseFor(failure);
        else return notRun(failure.type ?? 'unexpected', failure.message, hintOf(failure));
      }
    }
  }

  /** The same cell is tried again when a person has mended the disk. */
  private async pauseFor(failure: ApplicationFailure): Promise<void> {
    this.control.pause(failure.message);
    await this.waitWhilePaused();
  }

  private async stopTrial(cell: PlannedCell, requestId: string): Promise<void> {
    const { plan } = this.input;
    await CancellationScope.nonCancellable(() => host.stopTrial({ plan, cell, requestId }));
  }

  private async continueFrom(runListId: string, cursor: number): Promise<never> {
    await condition(allHandlersFinished);
    return continueAsNew<typeof gridWorkflow>({
      ...this.input,
      carry: {
        runListId,
        cursor,
        counters: this.progress.counters,
        failures: this.progress.failures,
        preflight: this.progress.state().preflight,
        ...(this.stoppedArms.length === 0 ? {} : { stoppedArms: this.stoppedArms }),
        ...this.control.carried(),
      },
    });
  }

  async close(stopped: GridResult['stopped'], reason: string | null = null): Promise<GridResult> {
    try {
      await host.report({ plan: this.input.plan });
    } catch (error) {
      // The results are on disk; a report that can't be written must not cost them.
      log.warn('the report could not be written', { reason: String(error) });
    }
    const said = reason === null || reason === '' ? stopped : `${stopped}: ${reason}`;
    this.progress.enter(stopped === null ? 'done' : 'stopped', said);
    await condition(allHandlersFinished);
    return gridResult(this.progress.counters, this.progress.failures, stopped, reason);
  }
}

/** Activities put the hint of the error table beside the message. */
function hintOf(failure: ApplicationFailure): string | null {
  const hint: unknown = failure.details?.[0];
  return typeof hint === 'string' ? hint : null;
}

const DISK_TROUBLE: readonly string[] = ['disk_low', 'no_space', 'results_unusable'];

/** It would meet every cell that is left. */
function isDiskTrouble(failure: ApplicationFailure): boolean {
  return DISK_TROUBLE.includes(failure.type ?? '');
}

function isLong(info: WorkflowInfo): boolean {
  return info.continueAsNewSuggested || info.historyLength >= MAX_HISTORY_EVENTS;
}

function isOfArm(cell: PlannedCell, { agent, task }: StoppedArm): boolean {
  return agent === cell.agent && (task === null || task === cell.task);
}

function notRun(code: string, error: string, hint: string | null = null): RunTrialResult {
  return { status: 'not-started', passed: null, code, error, hint, costUsd: null, stamp: null };
}

/** The activity's own failure; null for cancellation, time-outs and anything else. */
function applicationFailureOf(error: unknown): ApplicationFailure | null {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return null;
  return error.cause instanceof ApplicationFailure ? error.cause : null;
}
