import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTPUT_LIMIT_BYTES } from '../../src/domain/trial/limits.js';
import {
  findTrialGroups,
  trialsWithGroups,
} from '../../src/runtimes/control-groups/trial-groups.js';
import { hostGives, HostileLab, type HostileEnd } from './support/hostile-lab.js';
import { until } from './support/trial-harness.js';

// Some agents have to reach their deadline, on a machine that may be busy.
jest.setTimeout(60_000);

let lab: HostileLab;
let host: Awaited<ReturnType<typeof hostGives>>;

beforeAll(async () => {
  host = await hostGives();
  lab = await HostileLab.make();
});
afterAll(async () => {
  await lab.remove();
});
afterEach(async () => {
  await until('the end of every process', async () => (await lab.trials.processesLeft()) === 0);
  await until(
    'no group of the state folder',
    () => trialsWithGroups(lab.trials.host.stateId).length === 0,
  );
});

const VALID = { status: 'valid', passed: false };
const ENDED_ITSELF = { ...VALID, timed_out: false, agent_exit: 0, agent_signal: null };
const AT_DEADLINE = { ...VALID, timed_out: true };

type Row = readonly [string, string, Readonly<Record<string, unknown>>];

const ROWS: readonly Row[] = [
  ['leaves children in its group', 'forks-and-exits.sh', ENDED_ITSELF],
  [
    'forks twice into a session of its own',
    'double-fork.sh',
    { ...ENDED_ITSELF, leftovers_killed: 1 },
  ],
  ['ignores TERM', 'ignores-term.sh', { ...AT_DEADLINE, agent_signal: 'SIGKILL' }],
  ['has grandchildren that ignore TERM', 'stubborn-grandchildren.sh', AT_DEADLINE],
  ['never reads its input', 'never-reads.sh', { ...AT_DEADLINE, agent_signal: 'SIGTERM' }],
  ['closes input and output', 'closes-everything.sh', { ...VALID, agent_exit: 5 }],
  [
    'runs in circles past its deadline',
    'busy-loop.sh',
    { ...AT_DEADLINE, agent_signal: 'SIGTERM' },
  ],
  ['stops itself', 'stops-itself.sh', AT_DEADLINE],
  ['stops the trial program', 'stops-the-program.sh', AT_DEADLINE],
];

describe('an agent that', () => {
  const expectGone = ({ left, seenByTests }: HostileEnd): void => {
    expect(left).toEqual([]);
    expect(seenByTests).toBe('');
  };

  it.each(ROWS)(
    '%s is recorded as it ended, and gone before the tests',
    async (_is, file, meta) => {
      const end = await lab.run(file);
      expect(end.meta).toMatchObject({ ...meta, proof: host.proof });
      expectGone(end);
    },
  );

  it('leaves a daemon without environment, folder and terminal loses it', async () => {
    const end = await lab.run('forgetful-daemon.sh');
    // Its shell, and perhaps the sleep in it.
    expect([1, 2]).toContain(end.meta['leftovers_killed']);
    expect(end.meta).toMatchObject({ ...ENDED_ITSELF, proof: host.proof });
    expectGone(end);
  });

  it('does not read 20 MB of prompt is not waited for', async () => {
    const promptFile = join(lab.trials.root, 'long-prompt.txt');
    await writeFile(promptFile, Buffer.alloc(20_000_000, 'read me\n'));
    const end = await lab.run('invalid-utf8.sh', { promptFile });
    expect(end.meta).toMatchObject(ENDED_ITSELF);
  });

  it('writes bytes that are no text has them kept as they are', async () => {
    const { meta, transcript } = await lab.run('invalid-utf8.sh');
    expect(meta).toMatchObject(ENDED_ITSELF);
    const bytes = [0xff, 0xfe, 0, 0xc0, 0xaf, 0xed, 0xa0, 0x80];
    expect(transcript?.start).toEqual(Buffer.concat([Buffer.from(bytes), Buffer.from(' no text')]));
  });

  it('floods its output is ended at the limit, and no more than that is kept', async () => {
    const times = { agentTimeoutMs: 60_000, testTimeoutMs: 20_000, killGraceMs: 300 };
    const end = await lab.run('floods.sh', { times });
    expect(end.meta).toMatchObject({ ...VALID, timed_out: false, output_limited: true });
    expect(end.transcript?.sizeBytes).toBeLessThanOrEqual(OUTPUT_LIMIT_BYTES);
    expectGone(end);
  });

  it('kills the trial program makes its own trial void', async () => {
    const end = await lab.run('kills-the-program.sh');
    expect(end.meta).toMatchObject({ status: 'void', aborted: 'sandbox_failed' });
    expect(end.meta['detail']).toContain('SIGKILL');
    expectGone(end);
  });

  it('kills the supervisor makes its own trial void, and goes with it', async () => {
    const end = await lab.run('kills-the-supervisor.sh');
    expect(end.meta).toMatchObject({ status: 'void', aborted: 'supervisor_died' });
    expectGone(end);
  });

  it('asks the supervisor to end has its trial run again: nobody cancelled it', async () => {
    const end = await lab.run('ends-the-supervisor.sh');
    expect(end.meta).toMatchObject({ status: 'void', aborted: 'supervisor_died' });
    expectGone(end);
  });

  it('writes the result itself and kills the program does not pass', async () => {
    const end = await lab.run('forges-a-result.sh');
    expect(end.meta).toMatchObject({ status: 'void', aborted: 'sandbox_failed', passed: null });
    expectGone(end);
  });

  it('leaves pipes where the supervisor reads holds nobody up', async () => {
    const end = await lab.run('pipes-in-results.sh');
    expect(end.meta).toMatchObject({
      ...ENDED_ITSELF,
      detail: 'could not be kept: transcript.jsonl',
    });
    expect(end.transcript).toBeNull();
  });

  it('puts a pipe in the place of the results has its attempt closed all the same', async () => {
    const end = await lab.run('pipe-for-results.sh');
    expect(end.meta).toMatchObject({ status: 'void', aborted: 'sandbox_failed' });
    expect(end.meta['detail']).toContain('could not be kept: agent.diff');
    expectGone(end);
  });

  it('starts processes without end is ended with all of them, where their number is limited', async () => {
    if (!host.limits.includes('pids')) {
      // Nothing on this machine would stop it: that there is no limit must be on record.
      const { meta } = await lab.run('forks-and-exits.sh');
      expect(meta['host']).toMatchObject({ limits: host.limits.join(',') || 'none' });
      return;
    }
    const end = await lab.run('fork-bomb.sh');
    expect(end.meta).toMatchObject({ ...AT_DEADLINE, proof: 'cgroup' });
    expect(end.meta['host']).toMatchObject({ limits: expect.stringContaining('pids') });
    expect(end.meta['leftovers_killed']).toBeGreaterThan(10);
    expectGone(end);
  });
});

describe('a trial', () => {
  it('says which limits it ran under', async () => {
    const { meta } = await lab.run('closes-everything.sh');
    expect(meta['host']).toMatchObject({ limits: host.limits.join(',') || 'none' });
    expect(findTrialGroups({ stateId: lab.trials.host.stateId, trialHash: 'none' })).toEqual([]);
  });
});
