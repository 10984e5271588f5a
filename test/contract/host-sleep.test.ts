import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attachOrStart, type TrialAnswer } from '../../src/trial/attach-or-start.js';
import {
  TrialHarness,
  bundlePrograms,
  until,
  type Programs,
  type Script,
} from './support/trial-harness.js';

/** Stands for the half minute of real trials. */
const GAP_MS = 2_000;

let programs: Programs;
let trials: TrialHarness;

beforeAll(async () => {
  programs = await bundlePrograms();
});
afterAll(async () => {
  await rm(dirname(programs.supervisor), { recursive: true, force: true });
});
beforeEach(async () => {
  trials = await TrialHarness.create(programs);
});
afterEach(async () => {
  await until('the end of every process', async () => (await trials.processesLeft()) === 0);
  await trials.remove();
});

/** A trial whose supervisor stands still for a while, as it does on a machine that sleeps. */
async function trialWithSleep(script: Script, sleepMs: number): Promise<TrialAnswer> {
  const prepare = () => Promise.resolve({ ...trials.prepared(script), sleepGapMs: GAP_MS });
  const request = trials.request({ prepare });
  const answer = attachOrStart(request, trials.host);
  await until('the start', async () => (await trials.starts()) === 1);
  const { pid } = await trials.supervisorOf(request);
  const stoppedAt = performance.now();
  process.kill(pid, 'SIGSTOP');
  await until('the wake-up', () => performance.now() - stoppedAt > sleepMs);
  process.kill(pid, 'SIGCONT');
  return answer;
}

describe('a machine that sleeps during a trial', () => {
  it('makes the attempt void, not a time-out', async () => {
    const answer = await trialWithSleep({ runMs: 60_000 }, GAP_MS + 500);
    expect(answer).toMatchObject({
      kind: 'record',
      attempt: { meta: { status: 'void', aborted: 'host_slept', timed_out: false } },
    });
  }, 30_000);

  it('makes it void also when the trial is over at the moment it wakes up', async () => {
    const answer = await trialWithSleep({ runMs: 500 }, GAP_MS + 500);
    expect(answer).toMatchObject({ attempt: { meta: { aborted: 'host_slept' } } });
  }, 30_000);

  it('for less than the gap changes nothing', async () => {
    const answer = await trialWithSleep({ runMs: 700 }, 200);
    expect(answer).toMatchObject({ attempt: { meta: { status: 'valid' } } });
  }, 30_000);
});
