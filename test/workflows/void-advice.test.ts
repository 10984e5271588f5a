import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { timeSkippingEnvironment } from './support/environment.js';
import { GridLab } from './support/grid-lab.js';
import { VALID_PASS, cells, report, stubHost, voided, type StubHost } from './support/stub-host.js';

jest.setTimeout(60_000);

const HOUR_MS = 3_600_000;

describe('what a grid does after a void attempt that says what has to happen', () => {
  let environment: TestWorkflowEnvironment;
  const lab = new GridLab(() => environment, 'advice');

  beforeAll(async () => {
    environment = await timeSkippingEnvironment();
  });
  afterAll(async () => {
    await environment?.teardown();
  });

  it('waits until a quota is there again, then runs the same cell again', async () => {
    let resetMs = 0;
    const stub = stubHost({
      cells: cells(2),
      preflight: () => report('ok'),
      trial: ({ stamp }, call) => {
        if (call > 0) return VALID_PASS;
        resetMs = timeOf(stamp) + 5 * HOUR_MS;
        return voided('quota', {
          kind: 'wait',
          scope: 'account',
          at: new Date(resetMs).toISOString(),
        });
      },
    });
    const result = await lab.run(stub);
    expect(result).toMatchObject({ total: 2, ran: 2, ok: true, failures: [] });
    expect(tasksAsked(stub)).toEqual(['t1', 't1', 't2']);
    const again = timeOf(stub.asked[1]?.stamp ?? '');
    expect(again).toBeGreaterThanOrEqual(resetMs - 1_000);
    expect(again).toBeLessThan(resetMs + 5 * 60_000);
  });

  it('shows that it waits, and goes on at once when a person says so', async () => {
    const at = '2099-01-01T00:00:00.000Z';
    const stub = stubHost({
      cells: cells(1),
      preflight: () => report('ok'),
      trial: (_input, call) =>
        call > 0 ? VALID_PASS : voided('quota', { kind: 'wait', scope: 'account', at }),
    });
    const result = await lab.run(stub, {
      during: async (handle) => {
        const state = await lab.untilState(handle, ({ phase }) => phase === 'quota');
        expect(state.reason).toBe(`quota: the grid goes on at ${at}`);
        await handle.signal('resume');
      },
    });
    expect(result).toMatchObject({ ran: 1, ok: true });
    expect(stub.asked).toHaveLength(2);
  });

  it('tries an overloaded provider twice more, later each time, and then carries on', async () => {
    const stub = stubHost({
      cells: cells(2),
      preflight: () => report('ok'),
      trial: ({ cell }) =>
        cell.task === 't1' ? voided('overload', { kind: 'retry', scope: 'provider' }) : VALID_PASS,
    });
    const result = await lab.run(stub);
    expect(result).toMatchObject({ ran: 1, failures: [{ task: 't1', code: 'overload' }] });
    const [first = 0, second = 0, third = 0] = stub.asked.map(({ stamp }) => timeOf(stamp));
    expect(second - first).toBeGreaterThanOrEqual(30_000);
    expect(third - second).toBeGreaterThanOrEqual(120_000);
  });

  it('starts no more cells of an agent that can’t run here, and all others', async () => {
    const stub = stubHost({
      cells: cells(4).map((cell) => ({ ...cell, agent: cell.index % 2 === 1 ? 'opus' : 'nop' })),
      preflight: () => report('ok'),
      trial: ({ cell }) =>
        cell.agent === 'opus'
          ? voided('model_unavailable', { kind: 'stop-arm', scope: 'model' })
          : VALID_PASS,
    });
    const result = await lab.run(stub);
    expect(result).toMatchObject({ total: 4, ran: 2, passed: 2, ok: false });
    expect(result.failures.map(({ task, code }) => [task, code])).toEqual([
      ['t1', 'model_unavailable'],
      ['t3', 'arm_stopped'],
    ]);
    expect(tasksAsked(stub)).toEqual(['t1', 't2', 't4']);
  });

  it('waits for a person where one has to log in or pay, and does not run that cell again', async () => {
    const stub = stubHost({
      cells: cells(2),
      preflight: () => report('ok'),
      trial: (_input, call) =>
        call > 0 ? VALID_PASS : voided('login', { kind: 'stop-grid', scope: 'account' }),
    });
    const result = await lab.run(stub, {
      during: async (handle) => {
        const state = await lab.untilState(handle, ({ phase }) => phase === 'paused');
        expect(state.reason).toBe('told: login');
        expect(stub.asked).toHaveLength(1);
        await handle.signal('resume');
      },
    });
    expect(result).toMatchObject({ ran: 1, failures: [{ task: 't1', code: 'login' }] });
    expect(tasksAsked(stub)).toEqual(['t1', 't2']);
  });
});

function tasksAsked({ asked }: StubHost): readonly string[] {
  return asked.map(({ cell }) => cell.task);
}

/** `YYYYMMDDTHHMMSSZ` in milliseconds. */
function timeOf(stamp: string): number {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(iso);
}
