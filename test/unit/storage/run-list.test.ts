import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readRunList, requiredRunList, writeRunList } from '../../../src/storage/run-list.js';
import { stateLayout } from '../../../src/storage/state-layout.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';

const CELLS = [{ task: 't1', agent: 'nop', condition: 'plain', repeat: 1, index: 1, done: false }];

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const place = () => ({ layout: stateLayout(folder), experimentKey: 'demo', runListId: 'run-1' });

describe('the list of cells of a grid', () => {
  it('is read as it was written', async () => {
    expect(await readRunList(place())).toBeNull();
    await writeRunList(place(), CELLS);
    expect(await requiredRunList(place())).toEqual(CELLS);
  });

  it.each(['', '[{"task": "t1"', '{}', 'null', '[null]', '[{"task": "t1"}]'])(
    'that is damaged (%j) counts as gone, with a code',
    async (text) => {
      const file = place().layout.runListFile('demo', 'run-1');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      expect(await readRunList(place())).toBeNull();
      await expect(requiredRunList(place())).rejects.toMatchObject({ code: 'run_list_damaged' });
    },
  );
});
