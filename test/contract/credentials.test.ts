import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { planCredentials } from '../../src/agents/credential-plan.js';
import { sandboxPaths } from '../../src/runtimes/sandbox-paths.js';
import { prepareCredentials } from '../../src/trial/credentials/prepare-credentials.js';
import {
  isLoginOut,
  returnSalvaged,
  salvageCredentials,
} from '../../src/trial/credentials/salvage.js';
import { writeBackCredentials } from '../../src/trial/credentials/write-back.js';
import { trialFiles, type TrialFiles } from '../../src/trial/trial-files.js';
import {
  claudeLogin,
  codexLogin,
  inStore,
  opencodeLogin,
  put,
  SOON_MS,
} from '../fixtures/credentials/logins.js';
import { programOf, startProgram } from '../fixtures/run-module.js';

type Agent = 'claude' | 'codex' | 'opencode';

let dir = '';
let root = '';
let files: TrialFiles;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-credentials-'));
  root = join(dir, 'auth');
  files = trialFiles(join(dir, 'state', 'trials', 'abc'));
  await mkdir(home(), { recursive: true, mode: 0o700 });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const home = () => sandboxPaths(files.sandbox).home;
const stored = async (agent: Agent) => JSON.parse(await readFile(inStore(root, agent), 'utf8'));
const back = (nowMs = Date.now()) => writeBackCredentials(files, nowMs);
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

const COPY: Readonly<Record<Agent, string>> = {
  claude: '.claude/.credentials.json',
  codex: '.codex/auth.json',
  opencode: '.local/share/opencode/auth.json',
};
const copy = (agent: Agent) => join(home(), COPY[agent]);

/** A login in the store, and its copy in the sandbox. */
async function handOut(agent: Agent, document: object, model: string | null = null): Promise<void> {
  await put(inStore(root, agent), document);
  const plan = await planCredentials({ kind: agent, model }, { LLMX_AUTH_DIR: root }, Date.now());
  if (plan.status !== 'login') throw new Error(JSON.stringify(plan));
  await prepareCredentials(plan.login, { host: sandboxPaths(files.sandbox) }, files.credentials);
}

const LATER = SOON_MS + 3_600_000;

describe('the private copy of a login', () => {
  it.each([
    ['claude', claudeLogin('a'), null],
    ['codex', codexLogin('a'), null],
    ['opencode', { anthropic: opencodeLogin('a') }, 'anthropic/m'],
  ] as const)('is where %s looks for it, for nobody else to read', async (agent, login, model) => {
    await handOut(agent, login, model);
    expect(JSON.parse(await readFile(copy(agent), 'utf8'))).toEqual(login);
    expect(await mode(copy(agent))).toBe('600');
    for (let at = dirname(copy(agent)); at !== home(); at = dirname(at)) {
      expect(await mode(at)).toBe('700');
    }
    expect(await isLoginOut(dirname(files.dir), 'another')).toBe(true);
    expect(await isLoginOut(dirname(files.dir), 'abc')).toBe(false);
    expect(await readFile(files.credentials, 'utf8')).not.toMatch(/access|refresh-/);
  });

  it('brings nothing of the operator along but the login', async () => {
    await put(join(root, 'claude', '.claude.json'), {
      oauthAccount: { accountUuid: 'u' },
      mcpServers: { spy: { command: 'spy' } },
      projects: { '/home/me': { history: [] } },
      primaryApiKey: 'sk-console',
    });
    await handOut('claude', { ...claudeLogin('a'), mcpOAuth: { server: 'token' } });
    expect(JSON.parse(await readFile(copy('claude'), 'utf8'))).toEqual(claudeLogin('a'));
    const account = JSON.parse(await readFile(join(home(), '.claude.json'), 'utf8'));
    expect(account).toEqual({ hasCompletedOnboarding: true, oauthAccount: { accountUuid: 'u' } });
  });

  it('has no key, and of opencode no other provider', async () => {
    await handOut('codex', { ...codexLogin('a'), OPENAI_API_KEY: 'sk-beside' });
    expect(await readFile(copy('codex'), 'utf8')).not.toContain('sk-beside');
    const all = {
      anthropic: opencodeLogin('a'),
      xai: opencodeLogin('x'),
      openai: { type: 'api', key: 'k' },
    };
    await handOut('opencode', all, 'anthropic/m');
    expect(JSON.parse(await readFile(copy('opencode'), 'utf8'))).toEqual({
      anthropic: all.anthropic,
    });
  });
});

describe('a login that comes back', () => {
  it('replaces the stored one when the CLI has refreshed it', async () => {
    await handOut('claude', { ...claudeLogin('a'), mcpOAuth: { kept: true } });
    await put(copy('claude'), { ...claudeLogin('b', LATER), hooks: 'of the agent' });
    expect(await back()).toEqual({ status: 'written' });
    const { mcpOAuth, claudeAiOauth, ...rest } = await stored('claude');
    expect(claudeAiOauth).toEqual(claudeLogin('b', LATER).claudeAiOauth);
    expect([mcpOAuth, rest]).toEqual([{ kept: true }, {}]);
    expect(await mode(inStore(root, 'claude'))).toBe('600');
    expect(await readdir(join(root, 'claude'))).toEqual(['.credentials.json']);
    expect([existsSync(files.credentials), await back()]).toEqual([false, null]);
  });

  it('is taken by the times that codex and opencode write', async () => {
    await handOut('codex', codexLogin('a', Date.now() - 60_000));
    await put(copy('codex'), codexLogin('b', Date.now()));
    expect(await back()).toEqual({ status: 'written' });
    expect((await stored('codex')).tokens.refresh_token).toBe('refresh-b');
    const key = { type: 'api', key: 'k' };
    await handOut('opencode', { anthropic: opencodeLogin('a'), openai: key }, 'anthropic/m');
    await put(copy('opencode'), { anthropic: opencodeLogin('b', LATER), planted: key });
    expect(await back()).toEqual({ status: 'written' });
    expect(await stored('opencode')).toEqual({ anthropic: opencodeLogin('b', LATER), openai: key });
  });

  it('changes nothing when it is the same', async () => {
    await handOut('claude', claudeLogin('a'));
    const { ino } = await stat(inStore(root, 'claude'));
    expect(await back()).toEqual({ status: 'unchanged' });
    expect((await stat(inStore(root, 'claude'))).ino).toBe(ino);
  });

  const refused: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    ['older', () => put(copy('claude'), claudeLogin('b', SOON_MS - 1)), /older/],
    ['with an empty token', () => put(copy('claude'), claudeLogin('b', LATER, '')), /empty/],
    ['newer than can be', () => put(copy('claude'), claudeLogin('b', 9e14)), /too far ahead/],
    ['without a time', () => put(copy('claude'), claudeLogin('b', NaN)), /how new/],
    ['cut off', () => truncate(copy('claude'), 40), /no JSON object/],
    ['empty', () => truncate(copy('claude'), 0), /no JSON object/],
    ['gone', () => rm(copy('claude')), /gone/],
    ['huge', () => truncate(copy('claude'), 3 * 1024 ** 3), /larger/],
    [
      'a folder',
      async () => {
        await rm(copy('claude'));
        await mkdir(copy('claude'));
      },
      /folder/,
    ],
    [
      'a named pipe',
      async () => {
        await rm(copy('claude'));
        execFileSync('mkfifo', [copy('claude')]);
      },
      /no plain file/,
    ],
    [
      'a link to another login',
      async () => {
        await put(join(dir, 'mine.json'), claudeLogin('mine', LATER));
        await rm(copy('claude'));
        await symlink(join(dir, 'mine.json'), copy('claude'));
      },
      /symbolic link/,
    ],
    [
      'a second name of another login',
      async () => {
        await put(join(dir, 'mine.json'), claudeLogin('mine', LATER));
        await rm(copy('claude'));
        await link(join(dir, 'mine.json'), copy('claude'));
      },
      /hard link/,
    ],
    [
      'in a folder that is a link',
      async () => {
        await put(join(dir, 'mine', '.credentials.json'), claudeLogin('mine', LATER));
        await rm(join(home(), '.claude'), { recursive: true });
        await symlink(join(dir, 'mine'), join(home(), '.claude'));
      },
      /behind a symbolic link/,
    ],
    [
      'in a HOME that is a link',
      async () => {
        await put(join(dir, 'mine', '.claude', '.credentials.json'), claudeLogin('mine', LATER));
        await rename(home(), `${home()}.away`);
        await symlink(join(dir, 'mine'), home());
      },
      /behind a symbolic link/,
    ],
  ];
  it.each(refused)('is refused when it is %s', async (_what, leave, reason) => {
    await handOut('claude', claudeLogin('a'));
    const before = await readFile(inStore(root, 'claude'), 'utf8');
    await leave();
    const end = await back();
    expect(end).toEqual({ status: 'refused', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(end)).not.toMatch(/access-|refresh-/);
    expect(await readFile(inStore(root, 'claude'), 'utf8')).toBe(before);
  });

  it('is refused when it is of another account', async () => {
    await handOut('codex', codexLogin('a'));
    const other = codexLogin('b', Date.now());
    await put(copy('codex'), { ...other, tokens: { ...other.tokens, account_id: 'account-2' } });
    expect(await back()).toEqual({ status: 'refused', reason: 'it is of another account' });
  });

  it('does not replace a login that somebody made meanwhile', async () => {
    await handOut('claude', claudeLogin('a'));
    await put(copy('claude'), claudeLogin('b', LATER));
    await put(inStore(root, 'claude'), claudeLogin('new', SOON_MS + 1));
    expect(await back()).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/meanwhile/),
    });
    expect(await stored('claude')).toEqual(claudeLogin('new', SOON_MS + 1));
  });

  it('does not follow a link that was put in the place of the stored file', async () => {
    await handOut('claude', claudeLogin('a'));
    await put(copy('claude'), claudeLogin('b', LATER));
    await rename(inStore(root, 'claude'), join(dir, 'precious'));
    await symlink(join(dir, 'precious'), inStore(root, 'claude'));
    expect(await back()).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/symbolic link/),
    });
    expect(JSON.parse(await readFile(join(dir, 'precious'), 'utf8'))).toEqual(claudeLogin('a'));
  });

  it('is whole whoever else writes at the same moment, and one of them is not the last of both', async () => {
    await handOut('claude', claudeLogin('a'));
    await put(copy('claude'), claudeLogin('b', LATER));
    const record = await readFile(files.credentials, 'utf8');
    const module = `
      import { writeBackCredentials } from './src/trial/credentials/write-back.ts';
      import { trialFiles } from './src/trial/trial-files.ts';
      const end = await writeBackCredentials(trialFiles(process.argv[2]), Date.now());
      console.log(JSON.stringify(end?.status));
    `;
    const program = await programOf(module, dir, 'writer');
    const others = [1, 2, 3].map((name) =>
      trialFiles(join(dir, 'state', 'trials', `other-${name}`)),
    );
    for (const [at, other] of others.entries()) {
      await put(other.credentials, record);
      await put(
        join(sandboxPaths(other.sandbox).home, COPY.claude),
        claudeLogin(`c${at}`, LATER + 1 + at),
      );
    }
    const writers = [files, ...others].map((one) => startProgram(program, one.dir));
    const seen = new Set<string>();
    let isOver = false;
    const watch = (async () => {
      while (!isOver) seen.add((await stored('claude')).claudeAiOauth.refreshToken);
    })();
    await Promise.all(writers.map(({ ended }) => ended));
    isOver = true;
    await watch;
    // The first one wins; to the rest the store has changed meanwhile.
    const last = (await stored('claude')).claudeAiOauth;
    expect(last.accessToken).toBe(last.refreshToken.replace('refresh', 'access'));
    expect([...seen].filter((token) => !['refresh-a', last.refreshToken].includes(token))).toEqual(
      [],
    );
    expect(last.refreshToken).toMatch(/refresh-(b|c\d)$/);
  }, 30_000);
});

describe('the login of a trial whose supervisor died', () => {
  it('is kept when its sandbox goes, and comes back before the next trial', async () => {
    await handOut('claude', claudeLogin('a'));
    await put(copy('claude'), claudeLogin('b', LATER));
    await salvageCredentials(files);
    await rm(files.dir, { recursive: true });
    expect(await mode(files.salvagedLogin)).toBe('600');
    expect(await stored('claude')).toEqual(claudeLogin('a'));
    const notes: string[] = [];
    const folder = dirname(files.salvagedLogin);
    await writeFile(join(folder, 'odd.json'), '{"agent":"claude"');
    await returnSalvaged(folder, Date.now(), (text) => notes.push(text));
    expect((await stored('claude')).claudeAiOauth.refreshToken).toBe('refresh-b');
    expect(notes).toEqual(['login of claude from a dead trial: written']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not looked for where none was out', async () => {
    await salvageCredentials(files);
    expect(existsSync(dirname(files.salvagedLogin))).toBe(false);
    await returnSalvaged(dirname(files.salvagedLogin), Date.now(), () => undefined);
  });
});
