import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AgentKind } from '../../src/domain/experiment/experiment.js';
import { readModelRequests } from '../../src/network/model-requests.js';
import { processRuntime } from '../../src/runtimes/process.js';
import { attachOrStart } from '../../src/trial/attach-or-start.js';
import { openAccess, planAccess, takeKeySettings } from '../../src/trial/supervisor/access.js';
import { openEgress } from '../../src/trial/supervisor/egress.js';
import type { SupervisorSpec } from '../../src/trial/supervisor-spec.js';
import { trialFiles, type TrialFiles } from '../../src/trial/trial-files.js';
import { claudeLogin, inStore, put, SOON_MS } from '../fixtures/credentials/logins.js';
import { Netless } from './support/netless.js';
import { bundlePrograms, TrialHarness, type Programs } from './support/trial-harness.js';

const KEY = 'sk-real-0123456789abcdef';
const LATER = SOON_MS + 3_600_000;

/** An agent that asks its model once, looks around, and has its login refreshed where it has one. */
const AGENT = `
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
const { HOME, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY = '' } = process.env;
const file = HOME + '/.claude/.credentials.json';
const found = { env: process.env, uid: process.getuid() };
if (ANTHROPIC_BASE_URL) {
  const answer = await fetch(ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': ANTHROPIC_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm-1' }),
  }).catch((error) => ({ status: String(error.cause ?? error), text: () => '' }));
  Object.assign(found, { status: answer.status, answer: await answer.text() });
}
if (existsSync(file)) {
  const login = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(found, { mode: (statSync(file).mode & 0o777).toString(8), owner: statSync(file).uid });
  Object.assign(login.claudeAiOauth, { accessToken: 'access-b', refreshToken: 'refresh-b', expiresAt: ${LATER} });
  writeFileSync(file, JSON.stringify(login));
}
console.log(JSON.stringify(found));
`;

let dir = '';
let api: Server;
let seen: string[] = [];
let files: TrialFiles;
let count = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-access-'));
  api = createServer((asked, answer) => {
    seen.push(String(asked.headers['x-api-key']));
    void text(asked).then(() => answer.end('{"model":"m-1-2026"}'));
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  count += 1;
  seen = [];
  files = trialFiles(join(dir, `${count}`, 'trials', 'abc'));
  await mkdir(files.sandboxes, { recursive: true });
  await mkdir(attempt());
});

const attempt = () => join(dir, `${count}`, 'attempt');
const store = () => join(dir, `${count}`, 'auth');

function settings(extra: Readonly<Record<string, string>> = {}) {
  const { port } = api.address() as AddressInfo;
  const url = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: KEY };
  return { LLMX_AUTH_DIR: store(), ...url, ...extra };
}

function spec(kind: AgentKind, network: 'model-only' | 'open'): SupervisorSpec {
  const agent = { name: kind, kind, model: null, argv: null };
  return { agent, attemptDir: attempt(), sandbox: { network } } as unknown as SupervisorSpec;
}

const plan = (kind: AgentKind, env: Readonly<Record<string, string>>) =>
  planAccess(spec(kind, 'open'), files, { env, removeLeftovers: () => Promise.resolve() });

/** Every file below a folder that holds the text. */
function filesWith(value: string, folder: string): string {
  try {
    return execFileSync('grep', ['-rlF', value, folder], { encoding: 'utf8' });
  } catch {
    return ''; // grep's way to say none
  }
}

describe('an agent on the process runtime', () => {
  it('has its API at a port of this machine, and a key that opens nothing else', async () => {
    const env = settings();
    const sandbox = await processRuntime.prepare({
      marker: { trialHash: `access${process.pid}`, stateId: 'x' },
      grid: null,
      root: files.sandbox,
      image: null,
      memory: { text: '1g', bytes: 1e9 },
      cpus: '1',
      network: 'open',
      stage: 'trial',
    });
    const access = await openAccess(
      await plan('claude', env),
      spec('claude', 'open'),
      sandbox,
      files,
      env,
    );
    const { ANTHROPIC_BASE_URL: url = '', ANTHROPIC_API_KEY: key = '' } = access.env;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(JSON.stringify(access)).not.toContain(KEY);
    const post = (withKey: string) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': withKey },
        body: '{"model":"m-1"}',
      });
    expect([(await post(key)).status, (await post('other')).status]).toEqual([200, 401]);
    expect(seen).toEqual([KEY]);
    await access.end();
    await expect(post(key)).rejects.toThrow();
    const requests = await readModelRequests(join(attempt(), 'model-requests.jsonl'));
    expect(requests).toEqual({ answered: 1, modelsAsked: ['m-1'], modelsServed: ['m-1-2026'] });
    expect(filesWith(KEY, dir)).toBe('');
    await processRuntime.destroy(sandbox.marker, files.sandboxes);
  });

  it('needs nothing where it is no agent of a model', async () => {
    expect(await plan('nop', settings())).toEqual({ status: 'none' });
  });

  it('has none of the keys in what it is started from', () => {
    const env: NodeJS.ProcessEnv = { PATH: '/bin', OPENAI_API_KEY: 'k', ANTHROPIC_BASE_URL: 'u' };
    expect(takeKeySettings(env)).toEqual({
      PATH: '/bin',
      OPENAI_API_KEY: 'k',
      ANTHROPIC_BASE_URL: 'u',
    });
    expect(env).toEqual({ PATH: '/bin' });
  });
});

describe('an agent in a container of podman', () => {
  let lab: Netless;
  beforeAll(async () => {
    lab = await Netless.make('podman');
  }, 120_000);
  afterAll(() => lab.remove());

  /** The agent's whole time, as the supervisor does it. */
  async function run(network: 'model-only' | 'open', env: Readonly<Record<string, string>>) {
    const sandbox = await lab.prepare(files.sandboxes, network);
    const own = { ...files, sandbox: sandbox.host.root };
    const wanted = spec('claude', network);
    const planned = await plan('claude', env);
    const access = await openAccess(planned, wanted, sandbox, own, env);
    const egress = await openEgress(wanted, sandbox, env, access.doors);
    const { stdout } = await lab.runAgent(sandbox, AGENT, {
      env: access.env,
      ...(egress.route === null ? {} : { egress: egress.route }),
    });
    await egress.close();
    await access.end();
    const log = join(attempt(), 'egress.jsonl');
    const lines = existsSync(log) ? (await readFile(log, 'utf8')).split('\n').filter(Boolean) : [];
    return { found: JSON.parse(stdout), egress: lines.map((line) => JSON.parse(line)) };
  }

  it.each(['model-only', 'open'] as const)(
    'gets to its API by way of the proxy alone, where the network is %s',
    async (network) => {
      const { found, egress } = await run(network, settings());
      expect(found).toMatchObject({ status: 200, answer: '{"model":"m-1-2026"}' });
      expect(seen).toEqual([KEY]);
      expect(JSON.stringify(found.env)).not.toContain(KEY);
      const port = Number(new URL(found.env.ANTHROPIC_BASE_URL).port);
      expect(egress).toMatchObject([{ host: '127.0.0.1', port, allowed: true }]);
      expect('HTTPS_PROXY' in found.env).toBe(network === 'model-only');
      expect(filesWith(KEY, join(dir, `${count}`))).toBe('');
    },
    60_000,
  );

  it('has a login that is its own, and gives it back refreshed', async () => {
    await put(inStore(store(), 'claude'), claudeLogin('a'));
    const { found } = await run('model-only', { LLMX_AUTH_DIR: store() });
    expect(found).toMatchObject({ mode: '600', owner: found.uid });
    expect(found.uid).toBe(process.getuid?.() === 0 ? 1001 : process.getuid?.());
    const { claudeAiOauth } = JSON.parse(await readFile(inStore(store(), 'claude'), 'utf8'));
    expect(claudeAiOauth).toMatchObject({ refreshToken: 'refresh-b', expiresAt: LATER });
    expect(await readdir(files.dir)).toEqual(['sandboxes']);
  }, 60_000);
});

describe('a trial whose agent can not log in', () => {
  let programs: Programs;
  let trials: TrialHarness;
  beforeAll(async () => {
    programs = await bundlePrograms();
  });
  afterAll(() => rm(dirname(programs.supervisor), { recursive: true, force: true }));
  beforeEach(async () => {
    trials = await TrialHarness.create(programs);
  });
  afterEach(() => trials.remove());

  async function run(env: Readonly<Record<string, string>>) {
    const agent = { name: 'c', kind: 'claude', model: null, argv: null } as const;
    const prepare = () => Promise.resolve({ ...trials.prepared({}), agent });
    const host = { ...trials.host, supervisorEnv: { ...trials.host.supervisorEnv, ...env } };
    const answer = await attachOrStart(trials.request({ prepare }), host);
    if (answer.kind !== 'record') throw new Error(answer.kind);
    return answer.attempt.meta;
  }

  it('is void before anything is started, and says why', async () => {
    await put(inStore(store(), 'claude'), claudeLogin('a', SOON_MS, ''));
    expect(await run({ LLMX_AUTH_DIR: store(), ANTHROPIC_API_KEY: KEY })).toMatchObject({
      status: 'void',
      aborted: 'login',
      detail: 'the login has no refresh token',
    });
    expect(await trials.starts()).toBe(0);
    expect(filesWith(KEY, trials.root)).toBe('');
  });

  it('does not say where the store is', async () => {
    await put(inStore(store(), 'claude'), '{"claudeAi');
    const meta = await run({ LLMX_AUTH_DIR: store() });
    expect(meta?.['detail']).toBe(
      'auth store: claude/.credentials.json is damaged: it holds no JSON object',
    );
  });
});
