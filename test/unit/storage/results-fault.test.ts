import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asWriteFault } from '../../../src/storage/results-fault.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const places = () => ({ experimentDir: join(folder, 'exp'), stateRoot: join(folder, 'state') });

function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('what a disk refuses', () => {
  it('is about the results when it happens in the experiment', async () => {
    await mkdir(join(folder, 'exp'));
    await writeFile(join(folder, 'exp', 'results-raw'), '');
    const error = await errorOf(mkdir(join(folder, 'exp', 'results-raw', 't1')));
    const fault = await asWriteFault(error, places());
    expect(fault).toMatchObject({ code: 'results_unusable', cause: error });
    expect(String(fault)).toContain(`${join(folder, 'exp', 'results-raw')}: it is not a folder`);
  });

  it('is about the target of a copy, not its source', async () => {
    await mkdir(join(folder, 'state'));
    await mkdir(join(folder, 'exp', 'out'), { recursive: true });
    await writeFile(join(folder, 'state', 'file'), '');
    const target = join(folder, 'exp', 'out');
    const error = await errorOf(copyFile(join(folder, 'state', 'file'), target));
    expect(await asWriteFault(error, places())).toMatchObject({ code: 'results_unusable' });
  });

  it('is about the state folder when it happens there', async () => {
    await writeFile(join(folder, 'state'), '');
    const error = await errorOf(writeFile(join(folder, 'state', 'file'), ''));
    expect(await asWriteFault(error, places())).toMatchObject({ code: 'state_folder_unusable' });
  });

  it('is a full disk wherever it happens', async () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
    });
    expect(await asWriteFault(error, places())).toMatchObject({ code: 'no_space' });
  });

  it('stays what it is when something is missing, or it happens elsewhere', async () => {
    await mkdir(join(folder, 'exp'));
    const missing = await errorOf(rm(join(folder, 'exp', 'nothing')));
    expect(await asWriteFault(missing, places())).toBe(missing);
    const elsewhere = await errorOf(writeFile(folder, ''));
    expect(await asWriteFault(elsewhere, places())).toBe(elsewhere);
  });
});
