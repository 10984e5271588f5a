import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, mkdtemp, rm, stat, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { planCredentials } from '../../src/agents/credential-plan.js';
import { listCredentials, readStoredCredential } from '../../src/storage/auth/auth-store.js';
import { authDir } from '../../src/storage/auth/login-agent.js';
import {
  claudeLogin,
  codexLogin,
  inStore,
  opencodeLogin,
  PAST_MS,
  put,
  SOON_MS,
  webToken,
} from '../fixtures/credentials/logins.js';

let root = '';
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'llmx-auth-')), 'auth');
});
afterEach(() => rm(join(root, '..'), { recursive: true, force: true }));

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const facts = async (agent: 'claude' | 'codex' | 'opencode') =>
  (await readStoredCredential(root, agent)).facts;
const fault = async () => (await readStoredCredential(root, 'claude')).fault;
const iso = (ms: number) => new Date(ms).toISOString();

describe('the auth store', () => {
  it('is where LLMX_AUTH_DIR says, else in HOME', () => {
    expect(authDir({ HOME: '/h', LLMX_AUTH_DIR: '/a' })).toBe('/a');
    expect(authDir({ HOME: '/h', LLMX_AUTH_DIR: '' })).toBe('/h/.llmx/auth');
  });

  it('is closed to other users when it is read', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a'), 0o666);
    await put(join(root, 'claude', '.claude.json'), '{}', 0o644);
    await readStoredCredential(root, 'claude');
    expect(await mode(root)).toBe('700');
    expect(await mode(join(root, 'claude'))).toBe('700');
    expect(await mode(inStore(root, 'claude'))).toBe('600');
    expect(await mode(join(root, 'claude', '.claude.json'))).toBe('600');
  });

  it('tells what each CLI keeps, and never a secret', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a'));
    await put(inStore(root, 'codex'), codexLogin('a'));
    await put(inStore(root, 'opencode'), {
      anthropic: opencodeLogin('a', 0),
      openai: { type: 'api', key: 'sk-secret' },
    });
    const all = await listCredentials(root);
    const login = { kind: 'login', hasRefreshToken: true, refreshExpiresAt: null };
    const soon = iso(Math.floor(SOON_MS / 1000) * 1000);
    expect(all.map((one) => one.facts)).toEqual([
      [{ ...login, provider: null, accessExpiresAt: iso(SOON_MS) }],
      [{ ...login, provider: null, accessExpiresAt: soon }],
      [
        { ...login, provider: 'anthropic', accessExpiresAt: null },
        expect.objectContaining({ kind: 'api-key', provider: 'openai' }),
      ],
    ]);
    const shown = `${JSON.stringify(all)} ${inspect(all, { depth: 9 })} ${String(all[0]?.document)}`;
    expect(shown).not.toMatch(/access-|refresh-|sk-secret|eyJ/);
    expect(all[2]?.key('openai')?.reveal()).toBe('sk-secret');
    expect(all[2]?.key('anthropic')).toBeNull();
  });

  it('knows a key in its own file, of a Console login and of codex', async () => {
    await put(join(root, 'claude', '.claude.json'), { primaryApiKey: 'sk-console' });
    expect(await facts('claude')).toMatchObject([{ kind: 'api-key' }]);
    await put(join(root, 'claude', 'api-key'), 'sk-file\n');
    expect((await readStoredCredential(root, 'claude')).key(null)?.reveal()).toBe('sk-file');
    await put(inStore(root, 'codex'), { OPENAI_API_KEY: 'sk-codex', tokens: null });
    expect(await facts('codex')).toMatchObject([{ kind: 'api-key' }]);
  });

  it.each([
    ['missing', async () => undefined, null],
    ['empty', (file: string) => put(file, ''), 'damaged'],
    ['cut off', (file: string) => put(file, '{"claudeAiOauth":{"accessToken":"acc'), 'damaged'],
    ['a list', (file: string) => put(file, '[]'), 'damaged'],
    ['a folder', (file: string) => mkdir(file, { recursive: true }), 'is a folder'],
    [
      'a link',
      async (file: string) => {
        await put(join(root, 'elsewhere'), claudeLogin('a'));
        await mkdir(join(root, 'claude'));
        await symlink(join(root, 'elsewhere'), file);
      },
      'is a symbolic link',
    ],
    [
      'a second name of another file',
      async (file: string) => {
        await put(join(root, 'elsewhere'), claudeLogin('a'));
        await mkdir(join(root, 'claude'));
        await link(join(root, 'elsewhere'), file);
      },
      'hard link',
    ],
    [
      'huge',
      async (file: string) => {
        await put(file, '{}');
        await truncate(file, 3 * 1024 ** 3);
      },
      'is larger than',
    ],
  ] as const)('says what is wrong with a file that is %s', async (_what, make, wrong) => {
    await make(inStore(root, 'claude'));
    if (wrong === null) expect(await fault()).toBeNull();
    else expect(await fault()).toMatch(new RegExp(`^claude/\\.credentials\\.json .*${wrong}`));
    expect(await facts('claude')).toEqual([]);
  });

  it('refuses a folder that is a link', async () => {
    await put(inStore(join(root, 'other'), 'claude'), claudeLogin('a'));
    await symlink(join(root, 'other', 'claude'), join(root, 'claude'));
    expect(await fault()).toBe('claude is a symbolic link');
  });
});

describe('how an agent gets at its model', () => {
  const plan = (kind: 'claude' | 'codex' | 'opencode', env = {}, model: string | null = null) =>
    planCredentials({ kind, model }, { LLMX_AUTH_DIR: root, ...env }, Date.now());

  it('is a login whose access token has expired, because the CLI gets another', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a', PAST_MS));
    expect(await plan('claude')).toMatchObject({ status: 'login' });
  });

  it.each([
    ['an empty refresh token', claudeLogin('a', SOON_MS, ''), 'has no refresh token'],
    ['one that has expired', claudeLogin('a', SOON_MS, webToken(PAST_MS)), 'expired at 2020-01-01'],
    [
      'none at all',
      { claudeAiOauth: { accessToken: 'x', expiresAt: SOON_MS } },
      'no refresh token',
    ],
    ['nothing', {}, 'no login in the auth store, and no API key'],
  ])('is nothing with %s', async (_what, document, reason) => {
    await put(inStore(root, 'claude'), document);
    const found = await plan('claude');
    expect(found).toEqual({ status: 'unusable', reason: expect.stringContaining(reason) });
  });

  it('is never a key of the environment in the place of a login that expired', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a', SOON_MS, ''));
    expect((await plan('claude', { ANTHROPIC_API_KEY: 'sk-1' })).status).toBe('unusable');
  });

  it.each([
    ['claude', {}, null, 'x-api-key', 'https://api.anthropic.com/'],
    [
      'claude',
      { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8/a/' },
      null,
      'x-api-key',
      'http://127.0.0.1:8/a',
    ],
    ['opencode', {}, 'anthropic/m', 'x-api-key', 'https://api.anthropic.com/v1'],
    [
      'opencode',
      { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8' },
      'anthropic/m',
      'x-api-key',
      'http://127.0.0.1:8/v1',
    ],
    ['codex', {}, null, 'authorization', 'https://api.openai.com/v1'],
    ['opencode', {}, 'openrouter/a/b', 'authorization', 'https://openrouter.ai/api/v1'],
  ] as const)(
    'is a key that a proxy adds: %s %j %s',
    async (kind, extra, model, header, baseUrl) => {
      const env = {
        ANTHROPIC_API_KEY: 'k1',
        OPENAI_API_KEY: 'k2',
        OPENROUTER_API_KEY: 'k3',
        ...extra,
      };
      const found = await plan(kind, env, model);
      if (found.status !== 'key') throw new Error(JSON.stringify(found));
      expect([found.key.header, found.key.baseUrl.href]).toEqual([header, baseUrl]);
      expect(found.key.secret.reveal()).toMatch(/^k\d$/);
      expect(found.key.isBaseUrlSet).toBe(Object.keys(extra).length > 0);
    },
  );

  it.each([
    [{ ANTHROPIC_API_KEY: 'a\nb' }, /no request can carry/],
    [
      { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'ftp://x' },
      /ANTHROPIC_BASE_URL is no plain http/,
    ],
    [{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://u:p@x' }, /ANTHROPIC_BASE_URL/],
  ])('is nothing with settings that can not work', async (env, reason) => {
    const found = await plan('claude', env);
    expect(found).toEqual({ status: 'unusable', reason: expect.stringMatching(reason) });
  });

  it('is of the provider that the model is of, and opencode may do without', async () => {
    await put(inStore(root, 'opencode'), {
      anthropic: opencodeLogin('a'),
      openai: { type: 'api', key: 'sk-o' },
      mystery: { type: 'api', key: 'sk-m' },
    });
    expect(await plan('opencode', {}, 'anthropic/x')).toMatchObject({
      status: 'login',
      login: { provider: 'anthropic' },
    });
    expect(await plan('opencode', {}, 'openai/x')).toMatchObject({ status: 'key' });
    expect(await plan('opencode', {}, 'opencode/free')).toEqual({ status: 'none' });
    expect(await plan('opencode', {}, 'mystery/x')).toMatchObject({
      status: 'unusable',
      reason: expect.stringContaining('where the API of mystery is'),
    });
  });
});
