import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { GridResult, RunTrialResult } from '../../src/domain/grid/contracts.js';
import { timeSkippingEnvironment, withWorkers } from './support/environment.js';
import { GridLab } from './support/grid-lab.js';
import { VALID_PASS, cells, report, stubHost } from './support/stub-host.js';

/** A trial that ends only when the test says so, or when it is cancelled. */
class Gate {
  private open: () => void = () => undefined;
  cancelled = false;
  /** What a cancelled trial ends with, instead of the cancellation. */
  onCancel: Error | null = null;
  /** The activity runs: before that there is nothing a cancel could stop. */
  entered = false;
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  release(): void {
    this.open();
  }

  async trial(): Promise<RunTrialResult> {
    const context = Context.current();
    this.entered = true;
    const alive = setInterval(() => {
      context.heartbeat();
    }, 20);
    try {
      await Promise.race([this.opened, context.cancelled]);
      return VALID_PASS;
    } catch (error) {
      this.cancelled = context.cancellationDetails?.cancelRequested === true;
      throw this.onCancel ?? error;
    } finally {
      clearInterval(alive);
    }
  }
}

// A worker of its own for most tests: a second or two each on a busy machine.
jest.setTimeout(30_000);

describe('operator control of a grid', () => {
  let environment: TestWorkflowEnvironment;
  const lab = new GridLab(() => environment, 'control');

  beforeAll(async () => {
    environment = await timeSkippingEnvironment();
  });

  afterAll(async () => {
    await environment?.teardown();
  });

  function gatedHost(count: number, gated: number) {
    const gate = new Gate();
    const stub = stubHost({
      cells: cells(count),
      preflight: () => report('ok'),
      trial: ({ cell }) => (cell.index === gated ? gate.trial() : VALID_PASS),
    });
    return { gate, stub };
  }

  const running = (index: number) => (state: { running: { index: number } | null }) =>
    state.running?.index === index;

  it('pauses once the running trial has ended, and goes on when resumed', async () => {
    const { gate, stub } = gatedHost(3, 1);
    const result = await lab.run(stub, {
      during: async (handle) => {
        await lab.untilState(handle, running(1));
        await handle.signal('pause');
        expect((await lab.untilState(handle, running(1))).phase).toBe('running');
        gate.release();
        const paused = await lab.untilState(handle, (state) => state.phase === 'paused');
        expect(paused).toMatchObject({ reason: 'paused by a person', counters: { passed: 1 } });
        await handle.signal('resume');
      },
    });
    expect(result).toMatchObject({ total: 3, ran: 3, ok: true });
    expect(gate.cancelled).toBe(false);
  });

  it('stays paused when its worker is replaced by another', async () => {
    const { gate, stub: gated } = gatedHost(2, 1);
    const stub = { ...gated, sticky: false };
    const hostId = lab.newHost();
    const handle = await withWorkers(environment, hostId, stub, async () => {
      const handle = await lab.start(hostId);
      await lab.untilState(handle, running(1));
      await handle.signal('pause');
      gate.release();
      await lab.untilState(handle, (state) => state.phase === 'paused');
      return handle;
    });
    const result = await withWorkers(environment, hostId, stub, async () => {
      const state = await lab.untilState(handle, () => true);
      expect(state.phase).toBe('paused');
      await handle.signal('resume');
      return (await handle.result()) as GridResult;
    });
    expect(result).toMatchObject({ ran: 2, ok: true });
  });

  it('leaves out a cell that has not begun', async () => {
    const { gate, stub } = gatedHost(3, 1);
    const result = await lab.run(stub, {
      during: async (handle) => {
        await lab.untilState(handle, running(1));
        await handle.signal('skip', 2);
        gate.release();
      },
    });
    expect(result).toMatchObject({
      ran: 2,
      ok: false,
      failures: [{ task: 't2', code: 'skipped' }],
    });
    expect(stub.asked.map((input) => input.cell.index)).toEqual([1, 3]);
  });

  it('stops the trial of a cell that is skipped while it runs, and nothing else', async () => {
    const { gate, stub } = gatedHost(3, 2);
    const result = await lab.run(stub, {
      during: async (handle) => {
        await lab.untilState(handle, (state) => running(2)(state) && gate.entered);
        await handle.signal('skip', 2);
      },
    });
    expect(gate.cancelled).toBe(true);
    expect(result).toMatchObject({ ran: 2, failures: [{ task: 't2', code: 'skipped' }] });
  });

  it.each(['the signal', "Temporal's own cancel"] as const)(
    'ends with the running trial stopped when cancelled by %s',
    async (way) => {
      const { gate, stub } = gatedHost(3, 2);
      const result = await lab.run(stub, {
        during: async (handle) => {
          await lab.untilState(handle, (state) => running(2)(state) && gate.entered);
          await (way === 'the signal' ? handle.signal('cancel') : handle.cancel());
        },
      });
      expect(gate.cancelled).toBe(true);
      expect(stub.stopped).toEqual([stub.asked[1]?.requestId]);
      expect(result).toMatchObject({ total: 3, ran: 1, ok: false, stopped: 'cancelled' });
      expect(stub.asked).toHaveLength(2);
    },
  );

  it('tells the trial to stop also when the cancel was the end of its worker', async () => {
    const { gate, stub } = gatedHost(3, 2);
    gate.onCancel = ApplicationFailure.nonRetryable('as a time-out: no answer to the cancel');
    const result = await lab.run(stub, {
      during: async (handle) => {
        await lab.untilState(handle, (state) => running(2)(state) && gate.entered);
        await handle.signal('cancel');
      },
    });
    expect(stub.stopped).toEqual([stub.asked[1]?.requestId]);
    expect(result).toMatchObject({ ran: 1, stopped: 'cancelled', failures: [] });
    expect(stub.asked).toHaveLength(2);
  });

  it('can be cancelled while it is paused or waits for a person', async () => {
    const yellow = stubHost({ cells: cells(1), preflight: () => report('warn') });
    const result = await lab.run(yellow, {
      during: async (handle) => {
        await lab.untilState(handle, (state) => state.phase === 'waiting');
        await handle.signal('cancel');
      },
    });
    expect(result).toMatchObject({ ran: 0, stopped: 'cancelled' });
  });

  it('honours an approval that was sent while no worker ran', async () => {
    const yellow = stubHost({ cells: cells(1), preflight: () => report('warn') });
    const stub = { ...yellow, sticky: false };
    const hostId = lab.newHost();
    const handle = await withWorkers(environment, hostId, stub, async () => {
      const handle = await lab.start(hostId);
      await lab.untilState(handle, (state) => state.phase === 'waiting');
      return handle;
    });
    await handle.signal('approve', { by: 'ana', reason: 'from my phone' });
    const result = await withWorkers(environment, hostId, stub, () => handle.result());
    expect(result).toMatchObject({ ran: 1, ok: true });
  });

  it('carries counters, failures and skips over to new runs of bounded history', async () => {
    const total = 700;
    const stub = stubHost({
      cells: cells(total),
      preflight: () => report('ok'),
      trial: ({ cell }) => ({ ...VALID_PASS, passed: cell.index % 2 === 0 }),
    });
    const hostId = lab.newHost();
    const handle = await lab.start(hostId);
    await handle.signal('skip', total);
    const result = await withWorkers(environment, hostId, stub, () => handle.result());
    expect(result).toMatchObject({ total, ran: total - 1, passed: 349, failed: 350 });
    expect(result).toMatchObject({ failures: [{ code: 'skipped' }], failuresOmitted: 0 });
    expect(stub.asked.map((input) => input.cell.index)).toEqual(
      Array.from({ length: total - 1 }, (_, at) => at + 1),
    );
    // One request id each, whatever the run: a repeated trial would be found by it.
    expect(new Set(stub.asked.map((input) => input.requestId)).size).toBe(total - 1);

    const runs = await historiesOf(environment, handle.workflowId);
    expect(runs.length).toBeGreaterThan(1);
    for (const events of runs) expect(events).toBeLessThan(2_100);
  }, 120_000);
});

/** Events of every run of a workflow id, following continue-as-new from the first. */
async function historiesOf(
  environment: TestWorkflowEnvironment,
  workflowId: string,
): Promise<readonly number[]> {
  const counts: number[] = [];
  const first = await environment.client.workflow.getHandle(workflowId).describe();
  let runId: string | null | undefined = first.runId;
  while (runId) {
    const handle: WorkflowHandle = environment.client.workflow.getHandle(workflowId, runId);
    const history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>> =
      await handle.fetchHistory();
    counts.push(history.events?.length ?? 0);
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  return counts;
}
