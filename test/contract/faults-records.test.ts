import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { experimentOf } from '../fixtures/plan-experiment.js';
import { NO_FILTERS } from '../../src/domain/plan/cell.js';
import { loadPlanStatus } from '../../src/storage/plan-status.js';
import { cellDir } from '../../src/storage/results-tree.js';
import { attachOrStart, type TrialAnswer } from '../../src/trial/attach-or-start.js';
import { trialFiles, type TrialFiles } from '../../src/trial/trial-files.js';
import type { TrialRequest } from '../../src/trial/trial-request.js';
import { TrialHarness, bundlePrograms, until, type Programs } from './support/trial-harness.js';

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

function cellOf(request: TrialRequest): string {
  return cellDir(trials.experimentDir, request.cell);
}

/** Attempt folders of the cell. */
async function attemptsOf(request: TrialRequest): Promise<readonly string[]> {
  return (await readdir(cellOf(request))).filter((name) => !name.startsWith('.')).sort();
}

/** Starts a trial and waits until its program runs. */
async function started(
  request: TrialRequest,
): Promise<{ readonly files: TrialFiles; readonly answer: Promise<TrialAnswer> }> {
  const answer = run(request);
  await until('the start', async () => (await trials.starts()) === 1);
  await trials.supervisorOf(request);
  return { files: trialFiles(await trials.trialDir(request)), answer };
}

const BROKEN: readonly (readonly [string, string])[] = [
  ['empty', ''],
  ['half-written', '{"status": "va'],
  ['of bytes that are no text', '\u0000\u0000\u0000\u0000'],
  ['null', 'null'],
  ['a list', '[]'],
];

describe('a meta.json that is damaged', () => {
  const status = () => loadPlanStatus(trials.experimentDir, experimentOf(), NO_FILTERS);

  async function damage(request: TrialRequest, replace: (file: string) => Promise<void>) {
    await run(request);
    const file = join(cellOf(request), request.stamp, 'meta.json');
    await rm(file);
    await replace(file);
  }

  async function expectToRunAgain(request: TrialRequest): Promise<void> {
    const before = await status();
    expect(before.counts).toMatchObject({ done: 0, pending: 1, passed: 0, void: 1 });
    expect(before.damaged).toEqual([`results-raw/t1/nop/plain/${request.stamp}/meta.json`]);
    expect(metaOf(await run(trials.request()))['status']).toBe('valid');
    expect(await attemptsOf(request)).toHaveLength(2);
    expect((await status()).counts).toMatchObject({ done: 1, pending: 0, passed: 1, void: 1 });
  }

  it.each(BROKEN)('(%s) is named and counts as not done; the cell runs again', async (_, text) => {
    const request = trials.request();
    await damage(request, (file) => writeFile(file, text));
    await expectToRunAgain(request);
    const file = join(cellOf(request), request.stamp, 'meta.json');
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('(a folder) is treated the same', async () => {
    const request = trials.request();
    await damage(request, async (file) => void (await mkdir(file)));
    await expectToRunAgain(request);
  });

  it('(a link to nothing) is treated the same', async () => {
    const request = trials.request();
    await damage(request, (file) => symlink('nowhere', file));
    await expectToRunAgain(request);
  });

  it('is answered as a void attempt when its own request comes again', async () => {
    const request = trials.request();
    await damage(request, (file) => writeFile(file, ''));
    const answer = await run(request);
    expect(answer).toMatchObject({ kind: 'record', attempt: { state: 'broken' } });
    expect(await trials.starts()).toBe(1);
  });
});

describe('a claim that is damaged', () => {
  it.each([...BROKEN, ['of no use', '{}'] as const])(
    '(%s) does not hide the trial that runs: it is waited for, not run again',
    async (_, text) => {
      const first = trials.request({}, { runMs: 800 });
      const { answer } = await started(first);
      await writeFile(join(cellOf(first), '.claims', '1.json'), text);
      expect(await run(trials.request())).toEqual({ kind: 'already-done' });
      expect(await trials.starts()).toBe(1);
      await answer.catch(() => null); // its own caller can't know any more that it was its own
    },
  );

  it('of a dead trial closes that trial as void, and the cell runs', async () => {
    const first = trials.request();
    const attempt = join(cellOf(first), first.stamp);
    await mkdir(join(cellOf(first), '.claims'), { recursive: true });
    await mkdir(attempt);
    await writeFile(join(cellOf(first), '.claims', '1.json'), '{"stamp": ');
    expect(metaOf(await run(trials.request()))['status']).toBe('valid');
    const meta = JSON.parse(await readFile(join(attempt, 'meta.json'), 'utf8')) as unknown;
    expect(meta).toMatchObject({
      aborted: 'supervisor_died',
      detail: 'the claim of this attempt was damaged',
    });
  });
});

describe('a damaged file of a running trial', () => {
  it.each(BROKEN)('progress.json (%s) changes nothing', async (_, text) => {
    const { files, answer } = await started(trials.request({}, { runMs: 400 }));
    await writeFile(files.progress, text);
    expect(metaOf(await answer)['status']).toBe('valid');
  });

  it.each([...BROKEN, ['of no use', '{}'] as const])(
    'spec.json (%s) does not keep a dead trial from being closed',
    async (_, text) => {
      const request = trials.request({}, { runMs: 60_000 });
      const { files, answer } = await started(request);
      await writeFile(files.spec, text);
      process.kill((await trials.supervisorOf(request)).pid, 'SIGKILL');
      expect(metaOf(await answer)['aborted']).toBe('supervisor_died');
    },
  );

  it.each(BROKEN)('owner.json (%s) gives the trial up: void, nothing left', async (_, text) => {
    const { files, answer } = await started(trials.request({}, { runMs: 60_000 }));
    await writeFile(files.owner, text);
    // Closed by whoever gave it up, or by its own supervisor that lost its program.
    expect(['supervisor_died', 'sandbox_failed']).toContain(metaOf(await answer)['aborted']);
  });
});

describe('a supervisor that is killed when its trial is over', () => {
  it('leaves a result that the next caller closes', async () => {
    const request = trials.request({}, { runMs: 60_000 });
    const { files, answer } = await started(request);
    const supervisor = await trials.supervisorOf(request);
    process.kill(supervisor.pid, 'SIGSTOP');
    const meta = { ...(await outcomeOf(request, files)) };
    await writeFile(files.outcome, JSON.stringify(meta));
    process.kill(supervisor.pid, 'SIGKILL');
    expect(metaOf(await answer)).toMatchObject({ status: 'valid', passed: true });
    expect(await attemptsOf(request)).toHaveLength(1);
  });

  it.each(BROKEN)('and whose outcome (%s) is damaged is void', async (_, text) => {
    const request = trials.request({}, { runMs: 60_000 });
    const { files, answer } = await started(request);
    await writeFile(files.outcome, text);
    process.kill((await trials.supervisorOf(request)).pid, 'SIGKILL');
    expect(metaOf(await answer)['aborted']).toBe('supervisor_died');
  });

  /** What a supervisor writes just before it keeps and records a passed trial. */
  async function outcomeOf(request: TrialRequest, files: TrialFiles): Promise<object> {
    const { facts } = JSON.parse(await readFile(files.spec, 'utf8')) as { facts: object };
    const at = new Date().toISOString();
    return {
      facts: { ...facts, task: request.cell.task },
      classification: { status: 'valid', passed: true, reason: null, detail: null, loud: false },
      result: null,
      reading: null,
      startedAt: at,
      finishedAt: at,
      hostWallSeconds: 1,
      toolchain: {},
      host: {},
      imageId: null,
      proof: 'best-effort',
      leftoversKilled: 0,
      leftoversBefore: 0,
    };
  }
});
