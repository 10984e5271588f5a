import type { GridFilters, PlannedCell } from '../../domain/plan/cell.js';
import { gridIdOf } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { loadPlan } from '../../storage/plan-status.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import { findGrid, gridFilters } from '../../temporal/find-grid.js';
import { answeredUpdate } from '../../temporal/answered-update.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';
import { connectServices, type Services } from '../services.js';
import { openExperiment } from './prepare.js';

export type ControlVerb = 'pause' | 'resume' | 'cancel';

interface ControlTarget {
  /** Null: the running grid of the experiment in the current folder. */
  readonly workflow: string | null;
  readonly address?: string;
  readonly json?: boolean;
}

interface ControlRequest {
  readonly verb: ControlVerb | 'skip';
  readonly args: readonly unknown[];
}

/** Sends a request to a running grid and prints its answer. */
export async function runControl(
  cli: CliContext,
  request: ControlRequest,
  target: ControlTarget,
): Promise<void> {
  await withGrid(cli, target, async (services, workflowId) => {
    await send(cli, services, workflowId, request, target.json === true);
  });
}

/** A cell is named as the grid's own plan shows it, so its filters decide the number. */
export async function runSkip(cli: CliContext, cell: string, target: ControlTarget): Promise<void> {
  await withGrid(cli, target, async (services, workflowId) => {
    const filters = await gridFilters(services, workflowId);
    const index = await cellIndex(cli, cell, filters);
    const request = { verb: 'skip', args: [index] } as const;
    await send(cli, services, workflowId, request, target.json === true);
  });
}

async function withGrid(
  cli: CliContext,
  target: ControlTarget,
  work: (services: Services, workflowId: string) => Promise<void>,
): Promise<void> {
  const layout = stateLayout(stateDir(cli.env));
  const key = target.workflow === null ? (await openExperiment(cli)).key : null;
  const services = await connectServices(cli, { layout }, target.address);
  try {
    await work(
      services,
      key === null ? gridIdOf(target.workflow ?? '') : await runningGrid(services, key),
    );
  } finally {
    await services.close();
  }
}

async function runningGrid(services: Services, key: string): Promise<string> {
  const found = await findGrid(services, key);
  if (found?.status.name === 'RUNNING') return found.workflowId;
  throw new LlmxError('no_grid_running', { experiment: key });
}

async function send(
  cli: CliContext,
  services: Services,
  workflowId: string,
  { verb, args }: ControlRequest,
  json: boolean,
): Promise<void> {
  const answer = await answeredUpdate(services, workflowId, verb, args, ({ type, message }) => {
    switch (type) {
      case 'grid_ended':
      case 'grid_not_paused':
        return new LlmxError(type, { workflowId, state: message });
      case 'unknown_cell':
        return new LlmxError(type, { cell: message });
      default:
        return null;
    }
  });
  if (json) printJson(cli, verb, { workflowId, answer });
  else printLine(cli, `${answer}\nnext: llmx-client status`);
}

async function cellIndex(cli: CliContext, text: string, filters: GridFilters): Promise<number> {
  const { dir, experiment } = await openExperiment(cli);
  const cells = await loadPlan(dir, experiment, filters);
  const cell = cells.find((known) => isNamed(known, text));
  if (cell === undefined) throw new LlmxError('unknown_cell', { cell: text });
  return cell.index;
}

function isNamed(cell: PlannedCell, text: string): boolean {
  const place = `${cell.task}/${cell.agent}/${cell.condition}`;
  if (text === String(cell.index) || text === `${place}#${cell.repeat}`) return true;
  return cell.repeat === 1 && text.replace(/\s*\/\s*/g, '/') === place;
}
