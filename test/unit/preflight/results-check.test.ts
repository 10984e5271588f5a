import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resultsCheck } from '../../../src/preflight/checks/results.js';
import type { CheckSubject } from '../../../src/preflight/context.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const subject = (): CheckSubject => ({
  experiment: experimentOf(),
  folder,
  cells: [{ task: 't1', agent: 'nop', condition: 'plain', repeat: 1, index: 1, done: false }],
  checkouts: {},
  promptFile: () => '',
  solutionFile: () => null,
});

describe('the check of the results folder', () => {
  it('is ok before there is one, and writes nothing', async () => {
    expect(await resultsCheck(subject())).toMatchObject({ code: 'results', status: 'ok' });
    await expect(mkdir(join(folder, 'results-raw'))).resolves.toBeUndefined();
  });

  it.each(['results-raw', 'results-raw/t1', 'results-raw/t1/nop', 'results-raw/t1/nop/plain'])(
    'fails when %s is a file, and names it',
    async (path) => {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), '');
      expect(await resultsCheck(subject())).toMatchObject({
        status: 'fail',
        detail: `${path}: it is not a folder`,
      });
    },
  );
});
