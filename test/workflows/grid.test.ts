import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { GridState } from '../../src/domain/grid/contracts.js';
import { preflightIdOf } from '../../src/domain/grid/ids.js';
import { factsInMemo } from '../../src/temporal/grid-state.js';
import { timeSkippingEnvironment, withWorkers } from './support/environment.js';
import { GridLab } from './support/grid-lab.js';
import { VALID_PASS, cells, report, stubHost, voided } from './support/stub-host.js';

const DAY_MS = 24 * 3_600_000;

jest.setTimeout(30_000);

describe('gridWorkflow', () => {
  let environment: TestWorkflowEnvironment;

  beforeAll(async () => {
    environment = await timeSkippingEnvironment();
  });

  afterAll(async () => {
    await environment?.teardown();
  });

  const lab = new GridLab(() => environment, 'grid');
  const run = lab.run.bind(lab);
  const untilPhase = (
    handle: WorkflowHandle,
    phase: GridState['phase'],
    accept: (state: GridState) => boolean = () => true,
  ): Promise<GridState> =>
    lab.untilState(handle, (state) => state.phase === phase && accept(state));

  it('runs every cell in order when the preflight is GREEN, and counts wrong fixes as results', async () => {
    const stub = stubHost({
      cells: cells(3),
      preflight: () => report('ok'),
      trial: (_input, call) => ({ ...VALID_PASS, passed: call !== 1 }),
    });
    const result = await run(stub);
    expect(result).toMatchObject({
      total: 3,
      ran: 3,
      ok: true,
      passed: 2,
      failed: 1,
      failures: [],
    });
    expect(stub.asked.map((input) => input.cell.task)).toEqual(['t1', 't2', 't3']);
  });

  it('starts nothing when the preflight is RED', async () => {
    const stub = stubHost({ cells: cells(2), preflight: () => report('fail') });
    const result = await run(stub);
    expect(result).toMatchObject({ total: 2, ran: 0, ok: false, stopped: 'red' });
    expect(stub.asked).toEqual([]);
  });

  it.each([
    ['ok', { phase: 'done', verdict: 'GREEN', reason: null, spentUsd: 1 }],
    ['fail', { phase: 'stopped', verdict: 'RED', reason: 'red', spentUsd: 0 }],
  ] as const)('leaves what status shows in its memo: preflight %s', async (status, facts) => {
    const stub = stubHost({ cells: cells(2), preflight: () => report(status) });
    const hostId = lab.newHost();
    const handle = await lab.start(hostId);
    await withWorkers(environment, hostId, stub, () => handle.result());
    expect(factsInMemo((await handle.describe()).memo)).toEqual(facts);
  });

  it('makes no preflight when nothing is pending', async () => {
    const stub = stubHost({ cells: [], preflight: () => report('fail') });
    expect(await run(stub)).toMatchObject({ total: 0, ran: 0, ok: true, stopped: null });
    expect(stub.preflights()).toBe(0);
  });

  it('waits three days on YELLOW and runs once a person approves it through the grid', async () => {
    const stub = stubHost({ cells: cells(1), preflight: () => report('warn') });
    const result = await run(stub, {
      during: async (handle) => {
        await untilPhase(handle, 'waiting');
        await environment.sleep(3 * DAY_MS);
        expect(stub.asked).toEqual([]);
        await handle.signal('approve', { reason: 'looked at it', by: 'ana' });
      },
    });
    expect(result).toMatchObject({ ran: 1, ok: true, stopped: null });
    expect(stub.preflights()).toBe(2); // checked again when the approval came
  });

  it('takes an approval sent to the preflight itself', async () => {
    const stub = stubHost({ cells: cells(1), preflight: () => report('warn') });
    const result = await run(stub, {
      during: async (handle) => {
        await untilPhase(handle, 'waiting');
        await environment.client.workflow
          .getHandle(preflightIdOf(handle.workflowId))
          .signal('approve');
      },
    });
    expect(result.ran).toBe(1);
  });

  it('stops when a person rejects it', async () => {
    const stub = stubHost({ cells: cells(1), preflight: () => report('warn') });
    const result = await run(stub, {
      during: async (handle) => {
        await untilPhase(handle, 'waiting');
        await handle.signal('reject', { reason: 'no' });
      },
    });
    expect(result).toMatchObject({ ran: 0, ok: false, stopped: 'rejected' });
  });

  it('expires when nobody answers for days', async () => {
    const stub = stubHost({ cells: cells(1), preflight: () => report('warn') });
    expect(await run(stub)).toMatchObject({ ran: 0, stopped: 'expired' });
  });

  it('starts the wait anew when the checks changed before the approval came', async () => {
    const stub = stubHost({
      cells: cells(1),
      preflight: (call) => report('warn', call === 0 ? 'first' : 'second'),
    });
    const result = await run(stub, {
      during: async (handle) => {
        await untilPhase(handle, 'waiting');
        await handle.signal('approve');
        await untilPhase(handle, 'waiting', (state) => state.preflight?.hash === 'second');
        expect(stub.asked).toEqual([]);
        await handle.signal('approve', { hash: 'first' }); // for what is shown no more
        await handle.signal('approve', { hash: 'second' });
      },
    });
    expect(result).toMatchObject({ ran: 1, stopped: null });
  });

  it('lets --approve-yellow through and stops a RED all the same', async () => {
    const preApproval = { by: 'ci', reason: 'known' };
    const yellow = stubHost({ cells: cells(1), preflight: () => report('warn') });
    expect((await run(yellow, { input: { preApproval } })).ran).toBe(1);
    const red = stubHost({ cells: cells(1), preflight: () => report('fail') });
    expect((await run(red, { input: { preApproval } })).stopped).toBe('red');
  });

  it('records a cell without a result and carries on', async () => {
    const stub = stubHost({
      cells: cells(3),
      preflight: () => report('ok'),
      trial: (_input, call) => (call === 1 ? voided('suite_did_not_run') : VALID_PASS),
    });
    const result = await run(stub);
    expect(result).toMatchObject({ total: 3, ran: 2, ok: false, passed: 2, failuresOmitted: 0 });
    expect(result.failures).toEqual([
      {
        task: 't2',
        agent: 'nop',
        condition: 'base',
        code: 'suite_did_not_run',
        error: 'told: suite_did_not_run',
        hint: null,
      },
    ]);
    expect(stub.asked).toHaveLength(3);
  });

  it('runs a cell again after a host death, at most twice more, with a new request each time', async () => {
    const stub = stubHost({
      cells: cells(1),
      preflight: () => report('ok'),
      trial: () => voided('supervisor_died'),
    });
    const result = await run(stub);
    expect(result).toMatchObject({ ran: 0, ok: false });
    expect(new Set(stub.asked.map((input) => input.requestId)).size).toBe(3);
  });

  it('records an activity that fails for good and carries on', async () => {
    const stub = stubHost({
      cells: cells(2),
      preflight: () => report('ok'),
      trial: (_input, call) => {
        if (call > 0) return VALID_PASS;
        throw ApplicationFailure.create({
          type: 'branch_not_found',
          message: 'gone',
          nonRetryable: true,
        });
      },
    });
    const result = await run(stub);
    expect(result).toMatchObject({ ran: 1, failures: [{ task: 't1', code: 'branch_not_found' }] });
  });

  it('pauses after too many voids in a row and goes on when resumed', async () => {
    let healthy = false;
    const stub = stubHost({
      cells: cells(4),
      preflight: () => report('ok'),
      trial: () => (healthy ? VALID_PASS : voided('sandbox_failed')),
    });
    const result = await run(stub, {
      input: { maxConsecutiveVoids: 2 },
      during: async (handle) => {
        const state = await untilPhase(handle, 'paused');
        expect(state.reason).toBe('2 trials in a row gave no result');
        expect(stub.asked).toHaveLength(2);
        healthy = true;
        await handle.signal('resume');
      },
    });
    expect(result).toMatchObject({ total: 4, ran: 2, passed: 2 });
  });

  it('pauses when the disk is low and tries the same cell once resumed', async () => {
    let full = true;
    const stub = stubHost({
      cells: cells(1),
      preflight: () => report('ok'),
      ensureDisk: () => {
        if (full) {
          throw ApplicationFailure.create({
            type: 'disk_low',
            message: '0.1 GB free',
            nonRetryable: true,
          });
        }
      },
    });
    const result = await run(stub, {
      during: async (handle) => {
        expect((await untilPhase(handle, 'paused')).reason).toBe('0.1 GB free');
        full = false;
        await handle.signal('resume');
      },
    });
    expect(result).toMatchObject({ ran: 1, ok: true });
  });

  it.each(['no_space', 'results_unusable'])(
    'pauses when a trial meets %s and asks for the same one once resumed',
    async (type) => {
      const stub = stubHost({
        cells: cells(2),
        preflight: () => report('ok'),
        trial: (_input, call) => {
          if (call > 0) return VALID_PASS;
          throw ApplicationFailure.create({ type, message: 'mend it', nonRetryable: true });
        },
      });
      const result = await run(stub, {
        during: async (handle) => {
          expect((await untilPhase(handle, 'paused')).reason).toBe('mend it');
          expect(stub.asked).toHaveLength(1);
          await handle.signal('resume');
        },
      });
      expect(result).toMatchObject({ total: 2, ran: 2, ok: true, failures: [] });
      expect(stub.asked.map(({ cell }) => cell.task)).toEqual(['t1', 't1', 't2']);
      expect(stub.asked[1]?.requestId).toBe(stub.asked[0]?.requestId);
    },
  );
});
