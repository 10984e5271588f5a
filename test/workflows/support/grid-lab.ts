import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { GridInput, GridResult, GridState } from '../../../src/domain/grid/contracts.js';
import { hostTaskQueue } from '../../../src/domain/grid/ids.js';
import { withWorkers } from './environment.js';
import { gridInput, type StubHost } from './stub-host.js';

export interface GridRun {
  readonly input?: Partial<GridInput>;
  /** May look and answer before the result is awaited: until then the clock stands still. */
  readonly during?: (handle: WorkflowHandle) => Promise<void>;
}

/** Starts grids, each on a host of its own, so that tests of one server don't meet. */
export class GridLab {
  private count = 0;

  constructor(
    private readonly environment: () => TestWorkflowEnvironment,
    private readonly name: string,
  ) {}

  async run(stub: StubHost, { input, during }: GridRun = {}): Promise<GridResult> {
    const hostId = this.newHost();
    return withWorkers(this.environment(), hostId, stub, async () => {
      const handle = await this.start(hostId, input);
      await during?.(handle);
      return (await handle.result()) as GridResult;
    });
  }

  newHost(): string {
    return `${this.name}${++this.count}`;
  }

  start(hostId: string, input?: Partial<GridInput>): Promise<WorkflowHandle> {
    return this.environment().client.workflow.start('gridWorkflow', {
      workflowId: `llmx-grid-${hostId}-0`,
      taskQueue: hostTaskQueue(hostId),
      args: [gridInput(hostId, input)],
    });
  }

  async untilState(
    handle: WorkflowHandle,
    accept: (state: GridState) => boolean,
  ): Promise<GridState> {
    for (let tries = 0; tries < 1_000; tries++) {
      const state = await handle.query<GridState>('state');
      if (accept(state)) return state;
    }
    throw new Error('the grid never got there');
  }
}
