import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { execa } from 'execa';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../fixtures/built-cli.js';
import { claudeLogin, inStore, put, SOON_MS } from '../fixtures/credentials/logins.js';

// Several starts of the built program each, on a machine that may be busy.
jest.setTimeout(60_000);

let bin = '';
let dir = '';
let root = '';

/** No engine has this image, so what is on PATH is used. */
const NO_IMAGE = 'localhost/llmx-no-such-image:latest';

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'llmx-clis-'));
  for (const name of ['claude', 'codex', 'opencode']) {
    await copyFile('test/fixtures/logins/stand-in-cli.mjs', join(bin, name));
    await execa('chmod', ['755', join(bin, name)]);
  }
});
afterAll(() => rm(bin, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-login-'));
  root = join(dir, 'auth');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const env = (extra: Readonly<Record<string, string>> = {}) => ({
  PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  LLMX_AUTH_DIR: root,
  LLMX_BASE_IMAGE: NO_IMAGE,
  ...extra,
});

const login = (args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
  runCli(['login', ...args], { cwd: dir, env: env(extra) });

/** On a terminal, with what a person types. */
const typed = (args: string, input: string) =>
  execa('script', ['-qec', `${process.execPath} bin/llmx-client.js login ${args}`, '/dev/null'], {
    input,
    env: env({ ANTHROPIC_API_KEY: 'sk-1', CLAUDE_CONFIG_DIR: '/elsewhere' }),
    reject: false,
  });

const stored = async (agent: string) => JSON.parse(await readFile(inStore(root, agent), 'utf8'));

describe('login on a terminal', () => {
  it('keeps what the program of the agent wrote, and nothing else of its HOME', async () => {
    const { stdout, exitCode } = await typed('claude --on-host', 'first\n');
    expect(stdout).toContain('claude 2.1.332 (on PATH) logs in now');
    expect(stdout).toContain('keys: \r\n');
    expect(stdout).toContain(
      'claude: login, access until 2099-01-01T00:00:00.000Z, then refreshed',
    );
    expect(stdout).not.toMatch(/access-first|refresh-first/);
    expect(exitCode).toBe(0);
    expect(await readdir(root)).toEqual(['claude']);
    expect(await stored('claude')).toMatchObject({
      claudeAiOauth: { refreshToken: 'refresh-first' },
    });
    const account = JSON.parse(await readFile(join(root, 'claude', '.claude.json'), 'utf8'));
    expect(account).toEqual({ oauthAccount: { accountUuid: 'u' } });
    const modes = await Promise.all(
      [root, join(root, 'claude'), inStore(root, 'claude')].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it('replaces no login with one that was broken off', async () => {
    await put(inStore(root, 'claude'), claudeLogin('kept'));
    const { stdout, exitCode } = await typed('claude', '\n');
    expect(stdout).toContain(
      'error: claude ended without a login (exit 1); the auth store is as it was',
    );
    expect(stdout).toContain('next: llmx-client login claude');
    expect(exitCode).toBe(6);
    expect(await stored('claude')).toEqual(claudeLogin('kept'));
    expect(await readdir(root)).toEqual(['claude']);
  });

  it('adds a provider to those that opencode has', async () => {
    expect((await typed('opencode', 'anthropic\n')).exitCode).toBe(0);
    const { stdout } = await typed('opencode', 'xai\n');
    expect(stdout).toMatch(/opencode, anthropic: login.*\r\nopencode, xai: login/);
    expect(Object.keys(await stored('opencode'))).toEqual(['anthropic', 'xai']);
  });

  it('mends a damaged file, and uses no store that is a link', async () => {
    await put(inStore(root, 'claude'), '{"claudeAi');
    expect((await typed('claude', 'new\n')).exitCode).toBe(0);
    expect(await stored('claude')).toMatchObject({
      claudeAiOauth: { refreshToken: 'refresh-new' },
    });
    await rename(join(root, 'claude'), join(dir, 'moved'));
    await symlink(join(dir, 'moved'), join(root, 'claude'));
    const { stdout, exitCode } = await typed('claude', 'again\n');
    expect(stdout).toContain(`the auth store ${root} can not be used: claude is a symbolic link`);
    expect(exitCode).toBe(2);
  });

  it('logs codex in to a file', async () => {
    expect((await typed('codex', 'c\n')).exitCode).toBe(0);
    expect((await stored('codex')).tokens.refresh_token).toBe('refresh-c');
  });
});

describe('login without a terminal', () => {
  it('says what to type', async () => {
    const { exit, stderr } = await login(['claude']);
    expect(exit).toBe(2);
    expect(stderr).toBe(
      'error: claude asks questions when it logs in, so it needs a terminal\nnext: llmx-client login claude',
    );
    const asJson = await login(['codex', '--json']);
    expect([asJson.exit, asJson.json()]).toMatchObject([
      2,
      { error: { code: 'login_needs_terminal', hint: 'llmx-client login codex' } },
    ]);
  });

  it('knows the agents that have one', async () => {
    const { exit, stderr } = await login(['cladue']);
    expect(exit).toBe(2);
    expect(stderr).toContain('next: llmx-client login claude');
    expect((await login([])).exit).toBe(2);
  });
});

describe('login --verify', () => {
  it('says what is stored, until when, and which program runs', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a'));
    const { exit, stdout } = await login(['claude', '--verify']);
    expect(exit).toBe(0);
    expect(stdout).toBe(
      `claude: login, access until ${new Date(SOON_MS).toISOString()}, then refreshed\nclaude 2.1.332 runs (on PATH)`,
    );
    const { json } = await login(['claude', '--verify', '--json']);
    expect(json()).toEqual({
      schemaVersion: 1,
      kind: 'login',
      agent: 'claude',
      credentials: [
        {
          kind: 'login',
          provider: null,
          accessExpiresAt: new Date(SOON_MS).toISOString(),
          hasRefreshToken: true,
          refreshExpiresAt: null,
          problem: null,
        },
      ],
      keyFrom: null,
      cli: { version: '2.1.332', where: 'on PATH' },
    });
  });

  it.each([
    ['nothing', null, 'there is no login in the auth store, and no API key'],
    ['an empty refresh token', claudeLogin('a', SOON_MS, ''), 'the login has no refresh token'],
    ['half a file', '{"claudeAi', 'auth store: claude/.credentials.json is damaged'],
  ])('fails with %s', async (_what, content, reason) => {
    if (content !== null) await put(inStore(root, 'claude'), content);
    const { exit, stderr } = await login(['claude', '--verify']);
    expect(exit).toBe(6);
    expect(stderr).toContain(`error: claude can not log in: ${reason}`);
    expect(stderr).toContain('next: llmx-client login claude');
  });

  it('names the variable of a key and never the key', async () => {
    const { exit, stdout } = await login(['codex', '--verify'], {
      OPENAI_API_KEY: 'sk-very-secret',
    });
    expect(exit).toBe(0);
    expect(stdout).toContain('codex: API key of OPENAI_API_KEY; a proxy adds it outside of trials');
    expect(stdout).not.toContain('sk-very-secret');
  });

  it('says where it looked for a program that is not there', async () => {
    await put(inStore(root, 'claude'), claudeLogin('a'));
    await mkdir(join(dir, 'empty'));
    const { exit, stderr } = await login(['claude', '--verify', '--on-host'], {
      PATH: join(dir, 'empty'),
    });
    expect(exit).toBe(6);
    expect(stderr).toBe(
      'error: claude does not run here: none on PATH answers\nnext: llmx-client build base --agents claude',
    );
  });
});
