import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appVariable, checkoutFor, readCheckouts } from '../../../src/storage/checkout.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-checkout-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const write = (text: string): Promise<void> => writeFile(join(dir, '.apps.local'), text);

describe('the checkout of an app', () => {
  it('is named by a variable in which - and . are _', () => {
    expect(appVariable('my-app.v2_x')).toBe('LLMX_APP_MY_APP_V2_X');
  });

  it('is unknown when nothing names it', async () => {
    expect(await checkoutFor(dir, 'todo', {})).toBeNull();
    await write('LLMX_APP_OTHER=/x\n');
    expect(await checkoutFor(dir, 'todo', { LLMX_APP_TODO: '' })).toBeNull();
  });

  it('is what the environment says, before the file', async () => {
    await write('LLMX_APP_TODO=/from-file\n');
    expect(await checkoutFor(dir, 'todo', { LLMX_APP_TODO: '/from-env' })).toBe('/from-env');
    expect(await checkoutFor(dir, 'todo', {})).toBe('/from-file');
  });

  it.each([
    ['LLMX_APP_TODO=app', 'app'],
    ['LLMX_APP_TODO=./app/', 'app'],
    ['  export LLMX_APP_TODO="my app" # here', 'my app'],
    ["LLMX_APP_TODO='my app'", 'my app'],
    ['LLMX_APP_TODO=app # here', 'app'],
    ['LLMX_APP_TODO=old\nLLMX_APP_TODO=app', 'app'],
    ['LLMX_APP_TODO=app\r\n', 'app'],
  ])('is relative to the file that says %j', async (text, expected) => {
    await write(`# comment\n${text}\n`);
    expect(await checkoutFor(dir, 'todo', {})).toBe(join(dir, expected));
  });

  it('may be below the home folder', async () => {
    await write('LLMX_APP_TODO=~/src/todo\n');
    expect(await checkoutFor(dir, 'todo', { HOME: '/home/me' })).toBe('/home/me/src/todo');
  });

  it.each(['', 'LLMX_APP_TODO=', '#LLMX_APP_TODO=/x', 'nonsense', '\0'])(
    'is unknown to a file that says %j',
    async (text) => {
      await write(text);
      expect(await checkoutFor(dir, 'todo', {})).toBeNull();
    },
  );

  it('is told for every app at once', async () => {
    await write('LLMX_APP_A_B=x\n');
    const apps = [{ key: 'a-b' }, { key: 'c' }];
    expect(await readCheckouts(dir, { apps }, {})).toEqual({ 'a-b': join(dir, 'x'), c: null });
  });
});
