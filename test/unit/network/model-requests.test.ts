import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL_REQUESTS_FILE, readModelRequests } from '../../../src/network/model-requests.js';

let file = '';
beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'llmx-requests-')), MODEL_REQUESTS_FILE);
});
afterAll(() => rm(join(file, '..'), { recursive: true, force: true }));

it('adds up what the requests of a trial say, and is null where none went by', async () => {
  expect(await readModelRequests(file)).toBeNull();
  const lines = [
    { status: 200, modelAsked: 'a', modelServed: 'a-2026' },
    { status: 529, modelAsked: 'a', modelServed: null },
    { status: 200, modelAsked: 'b', modelServed: 'b' },
    { status: 200, modelAsked: 'a', modelServed: 'a-2026' },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  await writeFile(file, `${text}\n{"status":200,"modelServed":"cut`);
  expect(await readModelRequests(file)).toEqual({
    answered: 3,
    modelsAsked: ['a', 'b'],
    modelsServed: ['a-2026', 'b'],
  });
});
