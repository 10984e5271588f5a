import { describe, expect, it } from '@jest/globals';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { follow, waitForVerdict } from '../../../../src/client/grid/follow.js';
import type { GridResult, GridState } from '../../../../src/domain/grid/contracts.js';
import { EMPTY_COUNTERS, gridResult } from '../../../../src/domain/grid/counters.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';

const state = (part: Partial<GridState>): GridState => ({
  phase: 'running',
  verdict: 'GREEN',
  preflight: null,
  counters: { ...EMPTY_COUNTERS, total: 2 },
  running: null,
  reason: null,
  failures: [],
  ...part,
});

const CELL = {
  task: 't',
  agent: 'nop',
  condition: 'plain',
  repeat: 2,
  index: 1,
  done: false,
  startedAt: '2024-01-01T00:00:00Z',
};
const RESULT = gridResult({ ...EMPTY_COUNTERS, total: 2, attempted: 2, passed: 2 }, [], null);

/** What a server says about a grid, step by step; `Error` is a query nobody could answer. */
function gridOf(answers: readonly (GridState | Error)[], end: GridResult | Error | null) {
  let asked = 0;
  let left = false;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const handle = {
    query: async (): Promise<GridState> => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (asked >= answers.length && end !== null) finish();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
      return answer;
    },
    result: async (): Promise<GridResult> => {
      await finished;
      if (end === null || end instanceof Error) throw end ?? new Error('no end');
      return end;
    },
    client: {
      withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
      connection: {
        withAbortSignal: (signal: AbortSignal, work: () => Promise<unknown>) => {
          signal.addEventListener('abort', () => (left = true));
          return work();
        },
      },
    },
  };
  return { handle: handle as unknown as WorkflowHandle, hasLeft: () => left };
}

const OPTIONS = {
  stopWhenWaiting: true,
  onWaiting: () => undefined,
  repeats: 2,
  hostHolder: () => Promise.resolve<string | null>(null),
  revive: () => Promise.resolve(),
};

describe('following a grid', () => {
  it('shows each change once and ends with the result', async () => {
    const { cli, captured } = capturedCli();
    const running = state({ running: CELL });
    const counters = { ...EMPTY_COUNTERS, total: 2, attempted: 1, passed: 1 };
    const { handle, hasLeft } = gridOf(
      [
        state({ phase: 'preflight' }),
        running,
        running,
        new Error('worker restarts'),
        state({ counters }),
      ],
      RESULT,
    );
    expect(await follow(cli, handle, OPTIONS)).toEqual({ kind: 'result', result: RESULT });
    expect(captured()).toEqual({
      stdout: '',
      stderr: [
        'preflight',
        '0/2 cells · t / nop / plain #2 · 0 passed, 0 failed, 0 without a result',
        '1/2 cells · 1 passed, 0 failed, 0 without a result',
        '',
      ].join('\n'),
    });
    expect(hasLeft()).toBe(true);
  });

  it('ends when a person is needed, and lets go of the connection', async () => {
    const waiting = state({ phase: 'waiting' });
    const asked = gridOf([waiting], null);
    expect(await follow(capturedCli().cli, asked.handle, OPTIONS)).toEqual({
      kind: 'waiting',
      state: waiting,
    });
    expect(asked.hasLeft()).toBe(true);

    const paused = state({ phase: 'paused', reason: '5 voids in a row' });
    const { cli, captured } = capturedCli();
    expect(await follow(cli, gridOf([paused], null).handle, OPTIONS)).toEqual({
      kind: 'paused',
      state: paused,
    });
    expect(captured().stderr).toBe('paused: 5 voids in a row\n');
  });

  it('waits on where somebody at the terminal can answer, and tells each time what is asked', async () => {
    const asking = (hash: string) =>
      state({ phase: 'waiting', preflight: { checks: [], verdict: 'YELLOW', hash } });
    const answers = [asking('a'), asking('a'), asking('b'), state({})];
    const asked: (string | undefined)[] = [];
    const end = await follow(capturedCli().cli, gridOf(answers, RESULT).handle, {
      ...OPTIONS,
      stopWhenWaiting: false,
      onWaiting: ({ preflight }) => asked.push(preflight?.hash),
    });
    expect(end.kind).toBe('result');
    expect(asked).toEqual(['a', 'b']);
  });

  it('says what has the host while the trial waits for it', async () => {
    const { cli, captured } = capturedCli();
    const { handle } = gridOf([state({ running: CELL })], RESULT);
    const hostHolder = () => Promise.resolve('llmx-grid-other');
    await follow(cli, handle, { ...OPTIONS, hostHolder });
    expect(captured().stderr).toContain('waits for the host (llmx-grid-other has it)');
  });

  it('passes on why the grid has failed', async () => {
    const failed = new WorkflowFailedError('failed', new Error('terminated'), 'TIMEOUT');
    const { handle, hasLeft } = gridOf([state({})], failed);
    await expect(follow(capturedCli().cli, handle, OPTIONS)).rejects.toMatchObject({
      code: 'grid_failed',
      message: 'the grid failed: terminated',
    });
    expect(hasLeft()).toBe(true);
  });

  it('brings server and worker back when the connection breaks, and goes on', async () => {
    let revived = 0;
    const broken = gridOf([state({})], new Error('connection lost'));
    const whole = gridOf([state({})], RESULT);
    const results = [
      broken.handle.result.bind(broken.handle),
      whole.handle.result.bind(whole.handle),
    ];
    const handle = {
      query: async (...query: Parameters<WorkflowHandle['query']>) => {
        await broken.handle.query(...query);
        return whole.handle.query(...query);
      },
      result: () => (results.shift() ?? whole.handle.result)(),
      client: broken.handle.client,
    } as unknown as WorkflowHandle;
    const end = await follow(capturedCli().cli, handle, {
      ...OPTIONS,
      revive: async () => {
        revived += 1;
      },
    });
    expect(end).toEqual({ kind: 'result', result: RESULT });
    expect(revived).toBe(1);
  });
});

describe('waiting for the verdict', () => {
  it.each(['waiting', 'running', 'stopped', 'done'] as const)(
    'asks until the preflight is over: %s',
    async (phase) => {
      const answers = [new Error('no worker yet'), state({ phase: 'preflight' }), state({ phase })];
      expect(await waitForVerdict(gridOf(answers, null).handle)).toMatchObject({ phase });
    },
  );
});
