import type { GridResult } from '../../domain/grid/contracts.js';
import { EMPTY_COUNTERS, gridResult } from '../../domain/grid/counters.js';
import type { CliContext } from '../context.js';
import { ExitRequest } from '../exit-request.js';
import { EXIT } from '../exit-codes.js';
import { note, printJson, printLine } from '../output/print.js';
import type { FollowEnd } from './follow.js';
import type { OpenExperiment } from './prepare.js';

const MAX_SHOWN_FAILURES = 10;

/** The grid whose result is told. */
interface ShownGrid {
  readonly workflowId: string;
  readonly uiUrl: string | null;
}

type End = Exclude<FollowEnd, { kind: 'waiting' }> | { readonly kind: 'nothing' };

/** What `--wait` ends with: the result, the report, and an exit code that says whether all is there. */
export async function printEnd(
  cli: CliContext,
  open: OpenExperiment,
  end: End,
  json: boolean,
  grid: ShownGrid,
): Promise<void> {
  const result = resultOf(end);
  if (json) printJson(cli, 'gridResult', { ...result, workflowId: grid.workflowId });
  else await printText(cli, open, end, result, grid);
  const exitCode = exitCodeOf(result);
  if (exitCode !== EXIT.done) throw new ExitRequest(exitCode);
}

type ShownResult = Omit<GridResult, 'stopped'> & {
  readonly stopped: GridResult['stopped'] | 'paused';
};

function resultOf(end: End): ShownResult {
  switch (end.kind) {
    case 'nothing':
      return gridResult(EMPTY_COUNTERS, [], null);
    case 'result':
      return end.result;
    case 'paused': {
      const partial = gridResult(end.state.counters, end.state.failures, null);
      const { attempted, withoutResult, alreadyDone } = end.state.counters;
      return {
        ...partial,
        ran: attempted - withoutResult - alreadyDone,
        ok: false,
        stopped: 'paused',
      };
    }
  }
}

function exitCodeOf(result: ShownResult): number {
  switch (result.stopped) {
    case 'red':
    case 'rejected':
    case 'expired':
      return EXIT.red;
    case 'paused':
    case 'cancelled':
      return EXIT.incomplete;
    case null:
      return result.ok ? EXIT.done : EXIT.incomplete;
  }
}

async function printText(
  cli: CliContext,
  open: OpenExperiment,
  end: End,
  result: ShownResult,
  grid: ShownGrid,
): Promise<void> {
  const { collectReport } = await import('../../report/model.js');
  const { reportText } = await import('../../report/terminal.js');
  const { reportFile } = await import('../../report/write-report.js');
  const { experiment } = open;
  const report = await collectReport(open.dir, experiment);
  printLine(cli, reportText(report, { primary: experiment.primary }));
  printLine(cli, '');
  if (result.total === 0 && result.stopped === null) printLine(cli, 'nothing left to do');
  else {
    printLine(
      cli,
      `${result.ran} of ${result.total} cells ran: ${result.passed} passed, ${result.failed} failed, ${result.failures.length + result.failuresOmitted} without a result`,
    );
  }
  for (const failure of result.failures.slice(0, MAX_SHOWN_FAILURES)) {
    const place = `${failure.task} / ${failure.agent} / ${failure.condition}`;
    note(cli, `no result: ${place}: ${failure.code}: ${failure.error}`);
    if (failure.hint !== null) note(cli, `      next: ${failure.hint}`);
  }
  // Absolute: a script may have started this from another folder than the reader's.
  printLine(cli, `report: ${reportFile(open.dir)}`);
  if (grid.uiUrl !== null) printLine(cli, `web:    ${grid.uiUrl}`);
  if (result.stopped === 'paused') printLine(cli, `next: llmx-client resume ${grid.workflowId}`);
  else if (result.stopped !== null)
    printLine(cli, `stopped: ${stoppedText(result)}\nnext: llmx-client start-grid`);
  else if (!result.ok) printLine(cli, 'then: llmx-client start-grid');
}

function stoppedText({ stopped, stoppedReason }: ShownResult): string {
  return stoppedReason === null || stoppedReason === ''
    ? `${stopped}`
    : `${stopped}: ${stoppedReason}`;
}
