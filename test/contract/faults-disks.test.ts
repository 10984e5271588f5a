import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Disk, withDisks } from '../fixtures/faults/disks.js';
import { isDiskFull, refusalOf } from '../../src/support/file-faults.js';
import { cellDir } from '../../src/storage/results-tree.js';
import { attachOrStart, type TrialAnswer } from '../../src/trial/attach-or-start.js';
import type { TrialRequest } from '../../src/trial/trial-request.js';
import {
  TrialHarness,
  bundlePrograms,
  until,
  type Programs,
  type Script,
} from './support/trial-harness.js';

let programs: Programs;
let trials: TrialHarness;
let disk: Disk;

const FILES = { 'agent.diff': 'diff', 'agent_stdout.txt': '{}\n' };

beforeAll(async () => {
  programs = await bundlePrograms();
});
afterAll(async () => {
  await rm(dirname(programs.supervisor), { recursive: true, force: true });
});

const run = (request: TrialRequest): Promise<TrialAnswer> => attachOrStart(request, trials.host);

/** The error of a call that must fail. */
function failure(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}

function metaOf(answer: TrialAnswer): Readonly<Record<string, unknown>> {
  if (answer.kind !== 'record') throw new Error(`no record: ${answer.kind}`);
  return answer.attempt.meta ?? {};
}

/** A trial whose results go to the disk. */
async function requestOn(dir: string, script: Script = {}): Promise<TrialRequest> {
  const promptFile = join(trials.root, 'prompt.txt');
  await writeFile(promptFile, 'please\n');
  return trials.request(
    { experimentDir: dir, promptFile, prepare: () => Promise.resolve(trials.prepared(script)) },
    script,
  );
}

const programRuns = (): Promise<unknown> =>
  until('the program', async () => (await trials.starts()) > 0);

/** What lies in the attempt's folder, once no file is being written there. */
async function filesOf(request: TrialRequest): Promise<readonly string[]> {
  const dir = join(cellDir(request.experimentDir, request.cell), request.stamp);
  return until('no half-written file', async () => {
    const names = (await readdir(dir)).sort();
    return names.every((name) => !name.startsWith('.')) && names;
  });
}

it('a folder that is no folder is refused with a reason', async () => {
  trials = await TrialHarness.create(programs);
  await writeFile(join(trials.experimentDir, 'results-raw'), '');
  const error = await failure(run(trials.request()));
  expect(error).toMatchObject({
    code: 'results_unusable',
    message: expect.stringContaining('results-raw: it is not a folder'),
  });
  await trials.remove();
});

withDisks('trials on disks that are full, read-only or elsewhere', () => {
  describe('with the results on a disk of their own', () => {
    beforeEach(async () => {
      trials = await TrialHarness.create(programs);
      disk = Disk.make(4);
    });
    afterEach(async () => {
      await until('the end of every process', async () => (await trials.processesLeft()) === 0);
      disk.remove();
      await trials.remove();
    });

    it('a trial is kept there', async () => {
      const request = await requestOn(disk.dir, { files: FILES });
      expect(metaOf(await run(request))['status']).toBe('valid');
      const names = ['agent.diff', 'meta.json', 'metrics.json', 'transcript.jsonl'];
      expect(await filesOf(request)).toEqual(names);
    });

    it('a disk that fills up makes the attempt void, with a whole record', async () => {
      const request = await requestOn(disk.dir, { runMs: 500, files: FILES });
      const answer = run(request);
      await programRuns();
      disk.fill();
      expect(metaOf(await answer)).toMatchObject({ status: 'void', aborted: 'disk_full' });
      expect(await filesOf(request)).toContain('meta.json');
    });

    it('a disk without room even for the record gets it when there is room again', async () => {
      const request = await requestOn(disk.dir, { runMs: 500, files: FILES });
      const answer = failure(run(request));
      await programRuns();
      await rm(join(cellDir(disk.dir, request.cell), request.stamp, '.reserved'));
      disk.fill();
      expect(isDiskFull(await answer)).toBe(true);
      expect(await filesOf(request)).not.toContain('meta.json');
      disk.free();
      expect(metaOf(await run(request))).toMatchObject({ status: 'void', aborted: 'disk_full' });
      expect(await trials.starts()).toBe(1);
    });

    it('a full disk stops the start, and leaves nothing that looks like an attempt', async () => {
      disk.fill();
      const request = await requestOn(disk.dir);
      expect(isDiskFull(await failure(run(request)))).toBe(true);
      expect(await readdir(cellDir(disk.dir, request.cell))).toEqual(['.claims']);
      expect(await readdir(join(cellDir(disk.dir, request.cell), '.claims'))).toEqual([]);
      disk.free();
      expect(metaOf(await run(request))['status']).toBe('valid');
    });

    it('a disk that becomes read-only keeps the result for later: it is not paid twice', async () => {
      const request = await requestOn(disk.dir, { runMs: 500, files: FILES });
      const answer = failure(run(request));
      await programRuns();
      disk.readOnly = true;
      expect(refusalOf(await answer)).toBe('it is read-only');
      expect(refusalOf(await failure(run(request)))).toBe('it is read-only');
      disk.readOnly = false;
      expect(metaOf(await run(request))).toMatchObject({ status: 'valid', passed: true });
      expect(await filesOf(request)).toContain('agent.diff');
      expect(await trials.starts()).toBe(1);
    });

    it('a trial that is kept for later is not cleaned away by the next one', async () => {
      const request = await requestOn(disk.dir, { runMs: 500, files: FILES });
      const answer = failure(run(request));
      await programRuns();
      disk.readOnly = true;
      await answer;
      const other = { ...trials.request().cell, task: 't2' };
      expect(metaOf(await run(trials.request({ cell: other })))['status']).toBe('valid');
      disk.readOnly = false;
      expect(metaOf(await run(request))['status']).toBe('valid');
      expect(await filesOf(request)).toContain('transcript.jsonl');
    });
  });

  describe('with the state folder on a disk of its own', () => {
    let results: string;
    beforeEach(async () => {
      disk = Disk.make(8);
      trials = await TrialHarness.create(programs, disk.dir);
      results = `${disk.dir}-results`;
      await mkdir(results);
    });
    afterEach(async () => {
      await until('the end of every process', async () => (await trials.processesLeft()) === 0);
      disk.remove();
      await rm(results, { recursive: true });
    });

    it('a disk that fills up makes the attempt void', async () => {
      const request = await requestOn(results, { runMs: 500, files: FILES });
      const answer = run(request);
      await programRuns();
      disk.fill();
      expect(metaOf(await answer)).toMatchObject({
        status: 'void',
        aborted: 'disk_full',
        detail: 'in the state folder',
      });
    });
  });
});
