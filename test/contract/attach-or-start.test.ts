import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cellDir } from '../../src/storage/results-tree.js';
import { identityOf, isAlive } from '../../src/support/process-identity.js';
import { attachOrStart, writeSpec, type TrialAnswer } from '../../src/trial/attach-or-start.js';
import { createClaim, type Claim } from '../../src/trial/claims.js';
import { trialHashOf, trialIdOf } from '../../src/trial/ids.js';
import { takeOwnership } from '../../src/trial/owner.js';
import { startSupervisor } from '../../src/trial/start-supervisor.js';
import { stopTrial } from '../../src/trial/stop-trial.js';
import { trialFiles } from '../../src/trial/trial-files.js';
import type { PreparedTrial, TrialRequest } from '../../src/trial/trial-request.js';
import { hostGives } from './support/hostile-lab.js';
import {
  DEAD,
  TrialHarness,
  bundlePrograms,
  isThere,
  until,
  type Programs,
  type Script,
} from './support/trial-harness.js';

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

const run = (request: TrialRequest): Promise<TrialAnswer> => attachOrStart(request, trials.host);

function metaOf(answer: TrialAnswer): Readonly<Record<string, unknown>> {
  if (answer.kind !== 'record') throw new Error(`no record: ${answer.kind}`);
  return answer.attempt.meta ?? {};
}

async function fileCount(): Promise<number> {
  const dir = cellDir(trials.experimentDir, trials.request().cell);
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => !name.startsWith('.')).length;
}

/** A claim that a worker made before it died, as far as it came. */
async function claimOf(
  request: TrialRequest,
  claimant = DEAD,
  stateId = trials.host.stateId,
): Promise<Claim> {
  const claim: Claim = {
    schemaVersion: 1,
    n: 1,
    stamp: request.stamp,
    requestId: request.requestId,
    trialHash: trialHashOf(trialIdOf(request.experimentKey, request.cell, request.stamp)),
    stateId,
    repeat: 1,
    createdAt: new Date().toISOString(),
    claimant,
  };
  const dir = cellDir(trials.experimentDir, request.cell);
  await mkdir(join(dir, claim.stamp), { recursive: true });
  await createClaim(dir, claim);
  return claim;
}

async function specOf(request: TrialRequest, claim: Claim, script: Script = {}): Promise<string> {
  const attemptDir = join(cellDir(trials.experimentDir, request.cell), claim.stamp);
  return writeSpec(claim, attemptDir, request, trials.host, trials.prepared(script));
}

describe('a cell without a result', () => {
  it('is run once, and leaves its record, its files and nothing else', async () => {
    const files = { 'agent.diff': 'diff', 'agent_stdout.txt': '{}\n', 'test_after.txt': 'ok' };
    const request = trials.request({}, { files });
    const meta = metaOf(await run(request));
    expect(meta).toMatchObject({ status: 'valid', passed: true, repeat: 1, stamp: request.stamp });
    expect(meta).not.toHaveProperty('aborted');
    expect(meta['toolchain']).toMatchObject({ node: process.versions.node });
    const dir = join(cellDir(trials.experimentDir, request.cell), request.stamp);
    // The record is there a moment before the file it was written in is gone.
    await until('the record alone', async () =>
      (await readdir(dir)).every((name) => !name.startsWith('.')),
    );
    expect((await readdir(dir)).sort()).toEqual([
      'agent.diff',
      'meta.json',
      'metrics.json',
      'test_after.txt',
      'transcript.jsonl',
    ]);
    const metrics = JSON.parse(await readFile(join(dir, 'metrics.json'), 'utf8')) as object;
    expect(metrics).toMatchObject({ trial_dir: `results-raw/t1/nop/plain/${request.stamp}` });
    expect(await trials.starts()).toBe(1);
    await until(
      'a clean state folder',
      async () => (await readdir(trials.host.layout.trialsDir)).length === 0,
    );
  });

  it('is answered from its record when the same request comes again', async () => {
    const request = trials.request();
    const first = await run(request);
    expect(await run({ ...request, redoDone: true })).toEqual(first);
    expect(await trials.starts()).toBe(1);
  });

  it('is already done for the next request, and run again only when asked to', async () => {
    await run(trials.request());
    expect(await run(trials.request())).toEqual({ kind: 'already-done' });
    const again = await run(trials.request({ redoDone: true }));
    expect(metaOf(again)['status']).toBe('valid');
    expect(await trials.starts()).toBe(2);
  });

  it('takes a later stamp when it has one of that second', async () => {
    const first = trials.request();
    await run(first);
    const second = trials.request({ redoDone: true, stamp: first.stamp });
    expect(metaOf(await run(second))['stamp']).toBe('20260101T000002Z');
  });

  it('runs a second time for the second repeat', async () => {
    await run(trials.request());
    const second = trials.request({ cell: { ...trials.request().cell, repeat: 2 } });
    expect(metaOf(await run(second))).toMatchObject({ status: 'valid', repeat: 2 });
    expect(await trials.starts()).toBe(2);
  });

  it('is not claimed without a prompt', async () => {
    const request = trials.request({ promptFile: join(trials.root, 'missing.txt') });
    expect(await run(request)).toEqual({ kind: 'prompt-missing' });
    expect(await isThere(join(trials.experimentDir, 'results-raw'))).toBe(false);
  });

  it('shows how far the trial is', async () => {
    const phases: string[] = [];
    const request = trials.request({}, { runMs: 400 });
    await attachOrStart(request, trials.host, { onProgress: ({ phase }) => phases.push(phase) });
    expect(phases).toContain('preparing');
  });
});

describe('a caller that goes away', () => {
  it('leaves the trial alone, and the next one collects it', async () => {
    const request = trials.request({}, { runMs: 700 });
    const caller = new AbortController();
    const first = attachOrStart(request, trials.host, { signal: caller.signal });
    await until('the start', async () => (await trials.starts()) === 1);
    caller.abort(new Error('worker is shutting down'));
    await expect(first).rejects.toThrow('worker is shutting down');
    expect(metaOf(await run(request))['status']).toBe('valid');
    expect(await trials.starts()).toBe(1);
  });

  it('leaves the trial alone also when it is killed', async () => {
    const request = trials.request({}, { runMs: 700 });
    const caller = trials.call(request, { runMs: 700 });
    await until('the start', async () => (await trials.starts()) === 1);
    process.kill(caller.pid, 'SIGKILL');
    await caller.answer;
    expect(metaOf(await run(request))['status']).toBe('valid');
    expect(await trials.starts()).toBe(1);
  });
});

describe('callers at the same time', () => {
  it('start one trial between them, and all get its record', async () => {
    const request = trials.request();
    const answers = await Promise.all(
      [1, 2, 3].map(
        (n) => trials.call({ ...request, requestId: `run/x${n}` }, { runMs: 300 }).answer,
      ),
    );
    const kinds = answers.map((answer) => (answer as TrialAnswer).kind).sort();
    expect(kinds).toEqual(['already-done', 'already-done', 'record']);
    expect(await trials.starts()).toBe(1);
    expect(await fileCount()).toBe(1);
  });

  it('with the same request all get the one record', async () => {
    const request = trials.request({}, { runMs: 200 });
    const answers = await Promise.all([run(request), run(request), run(request)]);
    expect(new Set(answers.map((answer) => metaOf(answer)['stamp'])).size).toBe(1);
    expect(await trials.starts()).toBe(1);
  });

  it('with different cells never overlap in time', async () => {
    const cells = ['t1', 't2', 't3'].map((task) => ({
      task,
      agent: 'nop',
      condition: 'plain',
      repeat: 1,
    }));
    await Promise.all(cells.map((cell) => run(trials.request({ cell }, { runMs: 150 }))));
    const ledger = await trials.ledger();
    expect(ledger.map(([event]) => event)).toEqual([
      'start',
      'end',
      'start',
      'end',
      'start',
      'end',
    ]);
    for (const at of [0, 2, 4]) expect(ledger[at]?.[1]).toBe(ledger[at + 1]?.[1]);
  });
});

describe('a supervisor that is killed', () => {
  it('becomes a void attempt, and its processes are gone', async () => {
    const request = trials.request({}, { runMs: 60_000 });
    const answer = run(request);
    const supervisor = await trials.supervisorOf(request);
    await until('the start', async () => (await trials.starts()) === 1);
    process.kill(supervisor.pid, 'SIGKILL');
    expect(metaOf(await answer)).toMatchObject({
      status: 'void',
      aborted: 'supervisor_died',
      leftovers_killed: 1,
    });
    expect(await trials.processesLeft()).toBe(0);
    expect(await readdir(trials.host.layout.trialsDir)).toEqual([]);
  });

  it('is told to end without a cancel, ends its trial, which counts for nothing', async () => {
    const request = trials.request({}, { runMs: 60_000 });
    const answer = run(request);
    const supervisor = await trials.supervisorOf(request);
    await until('the start', async () => (await trials.starts()) === 1);
    process.kill(supervisor.pid, 'SIGTERM');
    const meta = metaOf(await answer);
    expect(meta).toMatchObject({ status: 'void', aborted: 'supervisor_died' });
    expect(meta['detail']).toContain('SIGTERM');
    expect(await trials.processesLeft()).toBe(0);
  });

  it('while nobody waits, is cleaned up before the next trial of another cell', async () => {
    const request = trials.request({}, { runMs: 60_000 });
    const caller = new AbortController();
    const first = attachOrStart(request, trials.host, { signal: caller.signal });
    const supervisor = await trials.supervisorOf(request);
    await until('the start', async () => (await trials.starts()) === 1);
    caller.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    process.kill(supervisor.pid, 'SIGKILL');
    await until('its end', () => !isAlive(supervisor));
    const other = trials.request({ cell: { ...request.cell, task: 't2' } });
    const meta = metaOf(await run(other));
    expect(meta).toMatchObject({ status: 'valid', leftovers_before: 2 });
    expect(metaOf(await run(request))['aborted']).toBe('supervisor_died');
    expect(await trials.starts()).toBe(2);
  });
});

describe('a worker that died between two steps', () => {
  it('after the claim: the attempt is void, and nothing was run', async () => {
    const request = trials.request();
    await claimOf(request);
    expect(metaOf(await run(request))).toMatchObject({ aborted: 'supervisor_died', task: 't1' });
    expect(await trials.starts()).toBe(0);
  });

  it('after the claim, for another request: void, then a trial of its own', async () => {
    await claimOf(trials.request());
    expect(metaOf(await run(trials.request()))['status']).toBe('valid');
    expect(await fileCount()).toBe(2);
  });

  it('after the spec: the attempt is void once no supervisor came', async () => {
    const request = trials.request();
    await specOf(request, await claimOf(request));
    expect(metaOf(await run(request))['aborted']).toBe('supervisor_died');
    expect(await trials.starts()).toBe(0);
  });

  it('after the start of the supervisor: the trial is adopted', async () => {
    const request = trials.request();
    const dir = await specOf(request, await claimOf(request), { runMs: 300 });
    startSupervisor(dir, trials.host);
    expect(metaOf(await run(request))['status']).toBe('valid');
    expect(await trials.starts()).toBe(1);
  });

  it('after it had closed an attempt that never began: the next trial removes the folder', async () => {
    const request = trials.request();
    await claimOf(request);
    expect(await trials.call(request, {}, 'bury:recorded').answer).toBeNull();
    const dir = await trials.trialDir(request);
    expect(await isThere(dir)).toBe(true);
    await run(trials.request({ cell: { ...request.cell, task: 't2' } }));
    expect(await isThere(dir)).toBe(false);
  });

  it('a supervisor that finds its trial fenced starts nothing', async () => {
    const request = trials.request();
    const dir = await specOf(request, await claimOf(request));
    await takeOwnership(trialFiles(dir).owner, { fenced: true });
    const late = startSupervisor(dir, trials.host);
    await new Promise<void>((done) => {
      late.onExit(done);
    });
    expect(await trials.starts()).toBe(0);
    expect(metaOf(await run(request))['aborted']).toBe('supervisor_died');
  });

  it('a supervisor that finds its trial closed starts nothing', async () => {
    const request = trials.request();
    const claim = await claimOf(request);
    await run(request);
    const dir = await specOf(request, claim);
    const late = startSupervisor(dir, trials.host);
    await new Promise<void>((done) => {
      late.onExit(done);
    });
    expect(await trials.starts()).toBe(0);
    expect(await isThere(dir)).toBe(false);
  });

  it('a claim of a live worker without a supervisor is waited for', async () => {
    const request = trials.request();
    const claimant = identityOf(process.pid) ?? DEAD;
    const claim = await claimOf(request, claimant);
    const answer = run(request);
    startSupervisor(await specOf(request, claim), trials.host);
    expect(metaOf(await answer)['status']).toBe('valid');
  });
});

describe('a record that can’t be read', () => {
  it('is no result: the cell gets another attempt', async () => {
    const first = trials.request();
    const claim = await claimOf(first);
    const file = join(cellDir(trials.experimentDir, first.cell), claim.stamp, 'meta.json');
    await writeFile(file, '{"status": "val');
    expect(metaOf(await run(trials.request()))['status']).toBe('valid');
    expect(await readFile(file, 'utf8')).toBe('{"status": "val');
    const own = await run(first);
    expect(own).toMatchObject({ kind: 'record', attempt: { state: 'broken' } });
  });

  it('a removed attempt folder is no open attempt', async () => {
    const first = trials.request();
    await claimOf(first);
    const dir = cellDir(trials.experimentDir, first.cell);
    await rm(join(dir, first.stamp), { recursive: true });
    expect(metaOf(await run(first))).toMatchObject({ status: 'valid' });
    expect(await trials.starts()).toBe(1);
  });
});

describe('an explicit stop', () => {
  it('ends the trial as cancelled', async () => {
    const request = trials.request({}, { runMs: 60_000 });
    const answer = run(request);
    await until('the start', async () => (await trials.starts()) === 1);
    await stopTrial(await trials.trialDir(request));
    expect(metaOf(await answer)).toMatchObject({ status: 'void', aborted: 'cancelled' });
    expect(await trials.processesLeft()).toBe(0);
  });

  it('ends a trial that waits for its turn, without starting it', async () => {
    const first = trials.request({}, { runMs: 1_500 });
    const running = run(first);
    await until('the start', async () => (await trials.starts()) === 1);
    const second = trials.request({ cell: { ...first.cell, task: 't2' } });
    const waiting = run(second);
    await trials.supervisorOf(second);
    const progress = trialFiles(await trials.trialDir(second)).progress;
    await until('the wait', async () =>
      (await readFile(progress, 'utf8').catch(() => '')).includes('"waiting"'),
    );
    await stopTrial(await trials.trialDir(second));
    expect(metaOf(await waiting)['aborted']).toBe('cancelled');
    expect(metaOf(await running)['status']).toBe('valid');
    expect(await trials.starts()).toBe(1);
  });

  it('reaches a supervisor that is still on its way', async () => {
    const request = trials.request();
    const dir = await specOf(request, await claimOf(request));
    await stopTrial(dir);
    startSupervisor(dir, trials.host);
    expect(metaOf(await run(request))['aborted']).toBe('cancelled');
    expect(await trials.starts()).toBe(0);
  });
});

describe('a cancel', () => {
  it('before anything was claimed starts nothing', async () => {
    const cancel = AbortSignal.abort();
    const answer = await attachOrStart(trials.request(), trials.host, { cancel });
    expect(answer).toEqual({ kind: 'cancelled' });
    expect(await trials.starts()).toBe(0);
  });

  it('of a request that waits for another’s trial leaves that trial alone', async () => {
    const first = trials.request({}, { runMs: 700 });
    const running = run(first);
    await until('the start', async () => (await trials.starts()) === 1);
    const cancel = new AbortController();
    const waiting = attachOrStart(trials.request(), trials.host, { cancel: cancel.signal });
    cancel.abort();
    expect(await waiting).toEqual({ kind: 'cancelled' });
    expect(metaOf(await running)['status']).toBe('valid');
  });

  it('between claim and start is recorded, and runs nothing', async () => {
    const cancel = new AbortController();
    const request = trials.request();
    const prepare = async (): Promise<PreparedTrial> => {
      const prepared = await request.prepare();
      cancel.abort();
      return prepared;
    };
    const options = { cancel: cancel.signal };
    const answer = await attachOrStart({ ...request, prepare }, trials.host, options);
    expect(metaOf(answer)['aborted']).toBe('cancelled');
    expect(await trials.starts()).toBe(0);
  });
});

describe('a claim of another state folder', () => {
  it('is waited for while its worker lives', async () => {
    const first = trials.request();
    const claimant = identityOf(process.pid) ?? DEAD;
    const claim = await claimOf(first, claimant, 'elsewhere');
    const answer = run(trials.request());
    const file = join(cellDir(trials.experimentDir, first.cell), claim.stamp, 'meta.json');
    await writeFile(`${file}.new`, JSON.stringify({ status: 'valid', passed: true }));
    await rename(`${file}.new`, file);
    expect(await answer).toEqual({ kind: 'already-done' });
    expect(await trials.starts()).toBe(0);
  });

  it('is closed once nothing runs on this host', async () => {
    await claimOf(trials.request(), DEAD, 'elsewhere');
    expect(metaOf(await run(trials.request()))['status']).toBe('valid');
    expect(await fileCount()).toBe(2);
  });
});

describe('an agent that doesn’t want to go', () => {
  const agent = resolve('test/fixtures/trial/stubborn-agent.sh');

  async function pidsIn(file: string): Promise<readonly number[]> {
    const text = await until('the agent', () => readFile(file, 'utf8').catch(() => null));
    return text.trim().split(' ').map(Number);
  }

  it('loses what it left running, in other sessions and without the marker', async () => {
    const pids = join(trials.root, 'pids');
    const script = { runAgent: true };
    const prepare = () => Promise.resolve(trials.prepared(script, [agent, pids, 'go']));
    const meta = metaOf(await run(trials.request({ prepare })));
    const { proof } = await hostGives();
    expect(meta).toMatchObject({ status: 'valid', leftovers_killed: 2, proof });
    expect((await pidsIn(pids)).map((pid) => identityOf(pid))).toEqual([null, null]);
    expect(await trials.processesLeft()).toBe(0);
  });

  it('is gone after a stop although it ignores TERM', async () => {
    const pids = join(trials.root, 'pids');
    const script = { runAgent: true };
    const prepare = () => Promise.resolve(trials.prepared(script, [agent, pids, 'stay']));
    const request = trials.request({ prepare });
    const answer = run(request);
    const left = await pidsIn(pids);
    await stopTrial(await trials.trialDir(request));
    expect(metaOf(await answer)['aborted']).toBe('cancelled');
    expect(left.map((pid) => identityOf(pid))).toEqual([null, null]);
  });

  it('is void when its program can’t be started', async () => {
    const prepare = () =>
      Promise.resolve(trials.prepared({ runAgent: true }, ['./no-such-program']));
    const meta = metaOf(await run(trials.request({ prepare })));
    expect(meta).toMatchObject({ status: 'void', aborted: 'agent_not_runnable' });
  });
});

describe('a trial program', () => {
  it('that leaves no result is a void attempt', async () => {
    const meta = metaOf(await run(trials.request({}, { exit: 3 })));
    expect(meta).toMatchObject({ status: 'void', aborted: 'sandbox_failed' });
    expect(meta['detail']).toContain('exit 3');
  });

  it('that can’t be found is an unknown error without host paths', async () => {
    const prepared = { ...trials.prepared({}), programFile: join(trials.root, 'nowhere.mjs') };
    const meta = metaOf(await run(trials.request({ prepare: () => Promise.resolve(prepared) })));
    expect(meta).toMatchObject({ status: 'void', aborted: 'unknown_error', loud: true });
    expect(JSON.stringify(meta)).not.toContain(trials.root);
    expect(dirname(prepared.programFile)).toBe(trials.root);
  });
});
