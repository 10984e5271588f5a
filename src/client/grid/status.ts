import { NO_FILTERS, cellLabel } from '../../domain/plan/cell.js';
import type { GridState } from '../../domain/grid/contracts.js';
import { gridIdOf } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { loadPlanStatus, type AttemptCounts } from '../../storage/plan-status.js';
import { findGrid } from '../../temporal/find-grid.js';
import { factsInMemo, readState, type GridFacts } from '../../temporal/grid-state.js';
import { uiLink } from '../../temporal/ids.js';
import { liveTrials, waitingFor } from '../../trial/live-trials.js';
import type { CliContext } from '../context.js';
import { noteDamaged } from '../output/damaged.js';
import { printJson, printLine } from '../output/print.js';
import { connectServices, serverEverUsed, type Services } from '../services.js';
import { waitingText } from './waiting-text.js';
import { openExperiment, type OpenExperiment } from './prepare.js';

export interface StatusFlags {
  readonly address?: string;
  readonly json?: boolean;
}

interface Live {
  readonly workflowId: string;
  readonly runId: string;
  readonly uiUrl: string | null;
  readonly open: boolean;
  readonly facts: GridFacts | null;
  /** Of a grid that runs, as far as a worker answers for it. */
  readonly state: GridState | null;
}

export async function runStatus(
  cli: CliContext,
  workflow: string | null,
  flags: StatusFlags,
): Promise<void> {
  const open = await openExperiment(cli);
  const { counts, damaged } = await loadPlanStatus(open.dir, open.experiment, NO_FILTERS);
  noteDamaged(cli, damaged);
  const live = await readLive(cli, open, workflow, flags.address);
  const holder = live === null ? null : waitingFor(await liveTrials(open.layout), live.workflowId);
  if (flags.json === true)
    printJson(cli, 'status', { ...statusJson(counts, live), waitingFor: holder });
  else printText(cli, open, counts, live, holder);
}

/** Null when no grid of this experiment is known to a server. */
async function readLive(
  cli: CliContext,
  open: OpenExperiment,
  workflow: string | null,
  address: string | undefined,
): Promise<Live | null> {
  if (workflow === null && !(await serverEverUsed(cli, open.layout, address))) return null;
  const services = await connectServices(cli, open, address);
  try {
    return workflow === null
      ? await newest(services, open)
      : await named(services, gridIdOf(workflow));
  } finally {
    await services.close();
  }
}

async function newest(services: Services, open: OpenExperiment): Promise<Live | null> {
  const found = await findGrid(services, open.key);
  return found === null ? null : named(services, found.workflowId);
}

async function named(services: Services, workflowId: string): Promise<Live> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const handle = services.client.workflow.getHandle(workflowId);
  try {
    const { runId, status, memo } = await handle.describe();
    const running = status.name === 'RUNNING';
    const state = running ? await readState(handle) : null;
    return {
      workflowId,
      runId,
      uiUrl:
        services.uiUrl === null ? null : uiLink(services.uiUrl, services.namespace, workflowId),
      open: running,
      facts: state === null ? factsInMemo(memo) : { ...state, spentUsd: state.counters.spentUsd },
      state,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      throw new LlmxError('workflow_not_found', { workflowId }, { cause: error });
    }
    throw error;
  }
}

function phaseOf(counts: AttemptCounts, live: Live | null): GridState['phase'] {
  if (live?.open === true) return live.facts?.phase ?? 'running';
  if (live?.facts?.phase === 'stopped') return 'stopped';
  return counts.pending === 0 ? 'done' : 'stopped';
}

/** Counts are of the whole plan on disk, whatever the filters of the grid. */
function statusJson(counts: AttemptCounts, live: Live | null): object {
  return {
    workflowId: live?.workflowId ?? null,
    runId: live?.runId ?? null,
    uiUrl: live?.uiUrl ?? null,
    phase: phaseOf(counts, live),
    verdict: live?.facts?.verdict ?? null,
    total: counts.total,
    done: counts.done,
    pending: counts.pending,
    passed: counts.passed,
    failed: counts.failed,
    void: counts.void,
    running: live?.state?.running ?? null,
    spentUsd: live?.facts?.spentUsd ?? 0,
    reason: live?.facts?.reason ?? null,
    approvalHash: live?.state?.preflight?.hash ?? null,
  };
}

function printText(
  cli: CliContext,
  open: OpenExperiment,
  counts: AttemptCounts,
  live: Live | null,
  holder: string | null,
): void {
  const phase = phaseOf(counts, live);
  printLine(cli, `${open.experiment.name}: ${phase}`);
  printLine(
    cli,
    `${counts.done} of ${counts.total} cells done, ${counts.pending} pending · results: ${counts.passed} passed, ${counts.failed} failed · ${counts.void} attempts without a result`,
  );
  const state = live?.state ?? null;
  if (live !== null) printLine(cli, `grid ${live.workflowId}`);
  if (live?.uiUrl != null) printLine(cli, `web  ${live.uiUrl}`);
  if (state?.running != null) {
    const label = cellLabel(state.running, open.experiment.repeats);
    printLine(
      cli,
      `running: cell ${state.running.index} · ${label} since ${state.running.startedAt}`,
    );
  }
  if (holder !== null) printLine(cli, `waits for the host: ${holder} has it`);
  if (live?.facts?.reason != null) printLine(cli, `reason: ${live.facts.reason}`);
  if (phase === 'waiting' && state?.preflight != null) {
    printLine(cli, waitingText(state, live?.workflowId ?? '', cli.stdoutIsTty));
    return;
  }
  const next = nextCommand(phase, counts, live);
  if (next !== null) printLine(cli, `next: ${next}`);
}

function nextCommand(
  phase: GridState['phase'],
  counts: AttemptCounts,
  live: Live | null,
): string | null {
  switch (phase) {
    case 'paused':
      return `llmx-client resume ${live?.workflowId ?? ''}`;
    case 'stopped':
      return counts.pending > 0 ? 'llmx-client start-grid' : 'llmx-client report';
    case 'done':
      return 'llmx-client report';
    case 'preflight':
    case 'running':
    case 'quota':
    case 'waiting':
      return null;
  }
}
