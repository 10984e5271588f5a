import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promptsCheck } from '../../../../src/preflight/checks/prompts.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { edited } from '../../../fixtures/experiment-text.js';
import { temporaryFolder } from '../../../fixtures/results-folder.js';

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function write(...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) {
    const file = join(dir, 'prompts', 'shop', `${prompt}.txt`);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, 'mend it');
  }
}

describe('the check of prompts', () => {
  it('is ok when all are there', async () => {
    await write('x/plain', 'x/hinted', 'y/plain', 'y/hinted');
    expect(await promptsCheck(subjectOf(dir))).toEqual({
      code: 'prompts',
      name: 'prompts',
      status: 'ok',
      detail: 'all rendered',
      hint: null,
    });
  });

  it('warns once for each that is missing, however many agents would get it', async () => {
    await write('x/plain', 'y/hinted');
    expect(await promptsCheck(subjectOf(dir))).toMatchObject({
      status: 'warn',
      detail: 'missing: x/hinted, y/plain',
      hint: 'render your prompts before llmx-client start-grid',
    });
  });

  it('names five and counts the rest', async () => {
    const many = edited('[plain, hinted]', '[a, b, c, d]', CHECKED_FILE);
    expect((await promptsCheck(subjectOf(dir, many))).detail).toBe(
      'missing: x/a, x/b, x/c, x/d, y/b (+3)',
    );
  });

  it('looks only at the cells this grid would run', async () => {
    await write('x/plain', 'x/hinted');
    expect(await promptsCheck(subjectOf(dir, CHECKED_FILE, { task: 'x' }))).toMatchObject({
      status: 'ok',
    });
  });
});
