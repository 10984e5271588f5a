import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { homedir } from 'node:os';
import { guarded } from '../../../src/activities/guard.js';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import type { HiddenPath } from '../../../src/support/hide-paths.js';

const HIDDEN: readonly HiddenPath[] = [
  { path: '/data/exp', label: '<experiment>' },
  { path: '/data/exp/app', label: '<checkout shop>' },
];

const hide = (): Promise<readonly HiddenPath[]> => Promise.resolve(HIDDEN);

/** Runs the activity as a worker would, at a given attempt. */
const inWorker = <O>(activity: () => Promise<O>, attempt = 1, hidden = hide): Promise<O> =>
  environment(attempt).run(guarded(activity, hidden), undefined);

/** Without the log of failures, which these tests make on purpose. */
const environment = (attempt = 1): MockActivityEnvironment =>
  new MockActivityEnvironment({ attempt }, { logger: new DefaultLogger('ERROR') });

const failureOf = async (thrown: unknown, attempt = 1): Promise<Record<string, unknown>> => {
  const caught: unknown = await inWorker(() => {
    throw thrown;
  }, attempt).catch((error: unknown) => error);
  if (!(caught instanceof ApplicationFailure)) throw new Error('no ApplicationFailure');
  const { type, message, nonRetryable, details } = caught;
  return { type, message, nonRetryable, details };
};

afterEach(() => {
  jest.useRealTimers();
});

describe('a guarded activity', () => {
  it('gives its result with the folders of this host replaced', async () => {
    const result = await inWorker(() =>
      Promise.resolve({
        count: 2,
        none: null,
        files: ['/data/exp/app/a.js', '/data/exp/prompts/b.txt', `${homedir()}/c`],
      }),
    );
    expect(result).toEqual({
      count: 2,
      none: null,
      files: ['<checkout shop>/a.js', '<experiment>/prompts/b.txt', '~/c'],
    });
  });

  it('turns an error of the table into a failure of that type, without folders of this host', async () => {
    expect(
      await failureOf(new LlmxError('disk_low', { freeGb: 1, where: '/data/exp', needGb: 2 })),
    ).toEqual({
      type: 'disk_low',
      message: '1 GB free at <experiment>; 2 GB are needed',
      nonRetryable: true,
      details: ['free some space, then: llmx-client doctor'],
    });
    const setup = { app: 'shop', how: 'exit 1', lastLine: 'no', logFile: '/data/exp/setup.log' };
    expect(await failureOf(new LlmxError('app_setup_failed', setup))).toMatchObject({
      details: ['read <experiment>/setup.log; correct apps.shop.setup in experiment.yml'],
    });
    expect(
      await failureOf(new LlmxError('temporal_unreachable', { address: 'a:1', reason: 'no' })),
    ).toMatchObject({ type: 'temporal_unreachable', nonRetryable: false });
  });

  it('keeps the first line of an error nobody foresaw, and gives up after five tries', async () => {
    const error = new TypeError('no file /data/exp/x\n    at main (/data/exp/main.js:1:1)');
    expect(await failureOf(error)).toEqual({
      type: 'unexpected',
      message: 'no file <experiment>/x',
      nonRetryable: false,
      details: undefined,
    });
    expect(await failureOf(error, 4)).toMatchObject({ nonRetryable: false });
    expect(await failureOf(error, 5)).toMatchObject({ nonRetryable: true });
    expect(await failureOf('a text')).toMatchObject({ type: 'unexpected', message: 'a text' });
  });

  it.each([
    ['a cancellation', new CancelledFailure('stop')],
    ['a failure that is one already', ApplicationFailure.create({ type: 'mine', message: 'm' })],
  ])('lets %s pass as it is', async (_name, thrown) => {
    await expect(inWorker(() => Promise.reject(thrown))).rejects.toBe(thrown);
  });

  it('says what is wrong with the activity even when its folders are not known', async () => {
    const unknown = (): Promise<never> => Promise.reject(new Error('no entry'));
    expect(await inWorker(() => Promise.resolve('fine'), 1, unknown)).toBe('fine');
    await expect(
      inWorker(() => Promise.reject(new Error('real reason')), 1, unknown),
    ).rejects.toMatchObject({ message: 'real reason' });
  });

  it('shows every five seconds that it is alive, and stops when it has ended', async () => {
    jest.useFakeTimers();
    let beats = 0;
    const mock = environment();
    mock.on('heartbeat', () => (beats += 1));
    const activity = guarded(() => {
      jest.advanceTimersByTime(16_000);
      return Promise.resolve();
    }, hide);
    await mock.run(activity, undefined);
    expect(beats).toBe(3);
    expect(jest.getTimerCount()).toBe(0);
  });
});
