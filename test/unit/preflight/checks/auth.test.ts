import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authCheck } from '../../../../src/preflight/checks/auth.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { claudeLogin, inStore, put, SOON_MS } from '../../../fixtures/credentials/logins.js';
import { edited } from '../../../fixtures/experiment-text.js';

let root = '';
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'llmx-auth-check-')), 'auth');
});
afterEach(() => rm(join(root, '..'), { recursive: true, force: true }));

/** @param agent line of the experiment, or null outside of one */
async function check(agent: string | null, env = {}) {
  const subject =
    agent === null ? null : subjectOf('/nowhere', edited('  nop:\n', `  ${agent}\n`, CHECKED_FILE));
  const settings = { LLMX_AUTH_DIR: root, ...env };
  const { status, detail, hint } = await authCheck({
    env: settings,
    stateDir: '/nowhere',
    subject,
  });
  return { status, detail, hint };
}

describe('the check of the auth store', () => {
  it('asks for no login where no agent has one', async () => {
    expect(await check('nop:')).toMatchObject({ status: 'ok', hint: null });
  });

  it('stops a grid whose agent can not log in, and says what to type', async () => {
    expect(await check('claude:')).toEqual({
      status: 'fail',
      detail: 'claude can not log in: there is no login in the auth store, and no API key',
      hint: 'llmx-client login claude',
    });
    await put(inStore(root, 'claude'), claudeLogin('a', SOON_MS, ''));
    expect(await check('opus: {kind: claude}')).toEqual({
      status: 'fail',
      detail: 'opus can not log in: the login has no refresh token',
      hint: 'llmx-client login claude',
    });
  });

  it('names what each agent logs in with', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a'));
    expect(await check('claude:')).toMatchObject({ status: 'ok', detail: 'claude with its login' });
    const key = { OPENAI_API_KEY: 'sk-secret' };
    expect(await check('codex:', key)).toMatchObject({
      status: 'ok',
      detail: 'codex with the key of OPENAI_API_KEY',
    });
  });

  it('tells outside an experiment what the store has', async () => {
    expect(await check(null)).toEqual({
      status: 'warn',
      detail: 'it is empty',
      hint: 'llmx-client login claude',
    });
    await put(inStore(root, 'claude'), claudeLogin('a'));
    expect(await check(null)).toEqual({
      status: 'ok',
      detail: 'credentials for: claude',
      hint: null,
    });
    await put(inStore(root, 'codex'), '{');
    expect(await check(null)).toMatchObject({ status: 'warn', hint: 'llmx-client login codex' });
  });
});
