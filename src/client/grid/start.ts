import type { GridState } from '../../domain/grid/contracts.js';
import type { GridFilters } from '../../domain/plan/cell.js';
import { gridWorkflowId, preflightIdOf } from '../../domain/grid/ids.js';
import { loadPlanStatus } from '../../storage/plan-status.js';
import { answeredUpdate } from '../../temporal/answered-update.js';
import { filterHash } from '../../temporal/filter-hash.js';
import { isRunning, startOrAttach, type StartedGrid } from '../../temporal/start-grid.js';
import { uiLink } from '../../temporal/ids.js';
import { liveTrials, waitingFor } from '../../trial/live-trials.js';
import { connectServices, ensureServicesAgain, serverRuns, type Services } from '../services.js';
import type { CliContext } from '../context.js';
import { ExitRequest } from '../exit-request.js';
import { EXIT } from '../exit-codes.js';
import { checksText } from '../output/checks.js';
import { noteDamaged } from '../output/damaged.js';
import { note, printJson, printLine } from '../output/print.js';
import type { FilterFlags } from '../filters.js';
import { follow, waitForVerdict } from './follow.js';
import { redError } from './red-error.js';
import { answersText, waitingText } from './waiting-text.js';
import { openExperiment, prepareGrid, type OpenExperiment } from './prepare.js';
import { printPlan } from './render-plan.js';
import { printEnd } from './render-result.js';

export interface StartGridFlags extends FilterFlags {
  readonly redoDone?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly approveYellow?: string | true;
  readonly address?: string;
  readonly json?: boolean;
}

export async function runStartGrid(
  cli: CliContext,
  flags: StartGridFlags,
  filters: GridFilters,
): Promise<void> {
  const open = await openExperiment(cli);
  const { cells, damaged } = await loadPlanStatus(open.dir, open.experiment, filters);
  noteDamaged(cli, damaged);
  const redoDone = flags.redoDone === true;
  if (flags.dryRun === true) {
    await printPlan(cli, open, cells, { redoDone, json: flags.json === true });
    return;
  }
  const nothingToDo = !redoDone && cells.every((cell) => cell.done);
  // Without a server no grid runs, and one that has nothing to do needs none.
  if (nothingToDo && !(await serverRuns(cli, open.layout, flags.address))) {
    await printNothingToDo(cli, flags, open, filters, null);
    return;
  }
  const services = await connectServices(cli, open, flags.address);
  try {
    const workflowId = gridWorkflowId(open.key, filterHash(filters));
    if (nothingToDo && !(await isRunning(services, workflowId))) {
      await printNothingToDo(cli, flags, open, filters, services);
      return;
    }
    await startAndShow(cli, flags, filters, open, services);
  } finally {
    await services.close();
  }
}

async function startAndShow(
  cli: CliContext,
  flags: StartGridFlags,
  filters: GridFilters,
  open: OpenExperiment,
  services: Services,
): Promise<void> {
  const prepared = await prepareGrid(cli, open, {
    filters,
    redoDone: flags.redoDone === true,
    preApproval: preApproval(cli, flags),
    useSearchAttributes: services.searchAttributes,
  });
  for (const change of prepared.changes) note(cli, `changed since the last start: ${change}`);
  const workflowId = gridWorkflowId(open.key, filterHash(filters));
  const grid = await startOrAttach(services, workflowId, prepared.input);
  if (grid.attached) {
    note(cli, `attached to ${workflowId}, which runs with the plan it started with`);
    if (prepared.changes.length > 0) {
      note(cli, `to use the changed plan, end it first: llmx-client cancel ${workflowId}`);
    }
  }
  note(cli, `grid ${workflowId}`);
  if (grid.uiUrl !== null) note(cli, `web   ${grid.uiUrl}`);

  const state = await waitForVerdict(grid.handle);
  if (state?.preflight?.verdict === 'RED') throw redError(cli, state.preflight.checks);
  if (state?.phase === 'waiting' && prepared.input.preApproval !== null) {
    // The grid that waits was started without it.
    const approval = [prepared.input.preApproval];
    await answeredUpdate(services, preflightIdOf(workflowId), 'approve', approval, () => null);
    note(cli, 'approved');
  }
  if (flags.wait === true) await waitForEnd(cli, flags, open, grid);
  else showVerdict(cli, flags, grid, state);
}

/** No workflow is started: the history of the grid that did the work stays the latest. */
async function printNothingToDo(
  cli: CliContext,
  flags: StartGridFlags,
  open: OpenExperiment,
  filters: GridFilters,
  services: Services | null,
): Promise<void> {
  const workflowId = gridWorkflowId(open.key, filterHash(filters));
  const base = services?.uiUrl ?? null;
  const link = base === null ? null : uiLink(base, services?.namespace ?? 'default', workflowId);
  if (flags.json === true && flags.wait !== true) {
    const none = { attached: false, verdict: null, phase: 'done' };
    printJson(cli, 'gridStart', { workflowId, uiUrl: link, ...none });
    return;
  }
  await printEnd(cli, open, { kind: 'nothing' }, flags.json === true, { workflowId, uiUrl: link });
}

/** Without `--wait`: the verdict, what it means, and the next command. */
function showVerdict(
  cli: CliContext,
  flags: StartGridFlags,
  grid: StartedGrid,
  state: GridState | null,
): void {
  const preflight = state?.preflight ?? null;
  if (flags.json === true) {
    const { workflowId, uiUrl, attached } = grid;
    printJson(cli, 'gridStart', {
      workflowId,
      uiUrl,
      attached,
      verdict: preflight?.verdict ?? null,
      phase: state?.phase ?? null,
    });
    return;
  }
  if (preflight !== null)
    printLine(cli, checksText(preflight.checks, preflight.verdict, cli.stdoutIsTty));
  if (state?.phase === 'waiting') {
    printLine(cli, answersText(state, grid.workflowId));
    return;
  }
  if (state === null) note(cli, 'no verdict after 60 s; the grid goes on by itself');
  printLine(cli, 'next: llmx-client status');
}

async function waitForEnd(
  cli: CliContext,
  flags: StartGridFlags,
  open: OpenExperiment,
  grid: StartedGrid,
): Promise<void> {
  detachOnInterrupt(cli);
  const end = await follow(cli, grid.handle, {
    stopWhenWaiting: !(cli.stdinIsTty && cli.stderrIsTty),
    onWaiting: (state) => {
      note(cli, waitingText(state, grid.workflowId, cli.stderrIsTty));
    },
    repeats: open.experiment.repeats,
    revive: () => ensureServicesAgain(cli, open, flags.address),
    hostHolder: async () => waitingFor(await liveTrials(open.layout), grid.workflowId),
  });
  const json = flags.json === true;
  if (end.kind !== 'waiting') {
    await printEnd(cli, open, end, json, grid);
    return;
  }
  const checks = end.state.preflight?.checks ?? [];
  const approve = `llmx-client approve ${grid.workflowId} --reason "…"`;
  if (json) printJson(cli, 'waiting', { workflowId: grid.workflowId, checks, approve });
  else {
    printLine(cli, waitingText(end.state, grid.workflowId, cli.stdoutIsTty));
  }
  throw new ExitRequest(EXIT.waiting);
}

/** Ctrl-C leaves; nothing of the grid is touched. */
function detachOnInterrupt(cli: CliContext): void {
  process.once('SIGINT', () => {
    note(cli, '\ndetached: the grid goes on\nnext: llmx-client status');
    process.exit(EXIT.interrupted);
  });
}

function preApproval(cli: CliContext, flags: StartGridFlags) {
  if (flags.approveYellow === undefined) return null;
  const reason = flags.approveYellow === true ? '--approve-yellow' : flags.approveYellow;
  return { by: cli.env['USER'] ?? 'unknown', reason };
}
