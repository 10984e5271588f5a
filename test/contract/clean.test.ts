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
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import {
  BUILT_FOR_LABEL,
  INPUT_LABEL,
  KIND_LABEL,
  NAME_LABEL,
} from '../../src/apps/image/names.js';
import { engineOf } from '../../src/runtimes/containers/engines.js';
import { packHostRoot } from '../../src/runtimes/containers/host-root.js';
import { containerLabels, containerName } from '../../src/runtimes/containers/names.js';
import { stateIdOf } from '../../src/storage/state-id.js';
import { ownIdentity } from '../../src/support/process-identity.js';
import { runCli, type CliRun } from '../fixtures/built-cli.js';
import { standIn } from '../fixtures/apple-container/stand-in.js';
import { until } from './runtimes/bench.js';

jest.setTimeout(180_000);

const podman = engineOf('podman');
/** Names of their own: other tests use the same engine. */
const NAME = `llmx-clean-${process.pid}`;
const DAY_MS = 24 * 60 * 60_000;

interface CleanJson {
  readonly items: readonly {
    readonly kind: string;
    readonly what: string;
    readonly name: string;
    readonly kept: string | null;
    readonly removed: boolean;
  }[];
  readonly engines: readonly { readonly engine: string; readonly state: string }[];
  readonly removed: number;
}

let dir = '';
let state = '';
let stateId = '';
let image = '';
const started: string[] = [];
const built: string[] = [];
let imageDir = '';

beforeAll(async () => {
  imageDir = await mkdtemp(join(tmpdir(), 'llmx-clean-image-'));
  const programs = ['sh', 'sleep'];
  await packHostRoot({ programs, files: [], users: [] }, join(imageDir, 'root.tar'));
  await writeFile(join(imageDir, 'Dockerfile'), 'FROM scratch\nADD root.tar /\n');
  await writeFile(join(imageDir, 'Child'), `FROM ${NAME}-parent:latest\n`);
  image = await build(`${NAME}-foreign:latest`, {});
});

afterAll(async () => {
  await podman.removeImage(`${NAME}-foreign:latest`);
  await rm(imageDir, { recursive: true, force: true });
});

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'llmx-clean-'));
  state = join(dir, 'state');
  await mkdir(join(state, 'trials'), { recursive: true });
  stateId = stateIdOf(state);
});

afterEach(async () => {
  for (const name of started.splice(0)) await podman.remove(name);
  for (const name of built.splice(0)) await podman.removeImage(name);
  await rm(dir, { recursive: true, force: true });
});

async function build(
  tag: string,
  labels: Readonly<Record<string, string>>,
  file = 'Dockerfile',
): Promise<string> {
  const logFile = join(imageDir, 'build.log');
  const context = { contextDir: imageDir, file, buildArgs: {}, logFile, timeoutMs: 120_000 };
  await podman.build({ ...context, tag, labels });
  return (await podman.image(tag))?.id ?? '';
}

/** An image as llmx labels it. */
async function ourImage(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  file?: string,
) {
  const tag = `${NAME}-${name}:latest`;
  built.push(tag);
  const own = {
    [KIND_LABEL]: 'app',
    [INPUT_LABEL]: 'any',
    [BUILT_FOR_LABEL]: stateId,
    [NAME_LABEL]: tag,
  };
  await build(tag, { ...own, ...labels }, file);
  return tag;
}

/** Starts a container that waits, as a trial of this state folder or another. */
async function startContainer(trialHash: string, ofState = stateId, from = image): Promise<string> {
  const marker = { trialHash, stateId: ofState };
  const name = containerName(marker, 'trial');
  const { argv, env } = await podman.runCommand({
    name,
    image: from,
    labels: containerLabels(marker, null),
    memory: { text: '64m', bytes: 64 * 1024 * 1024 },
    cpus: '1',
    pidsLimit: 16,
    network: 'none',
    mounts: [],
    env: {},
    workdir: '/',
    user: await podman.user(),
    argv: ['sh', '-c', 'sleep 600'],
  });
  const [program, ...args] = argv;
  spawn(program, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  started.push(name);
  await until(async () => (await containerNames(ofState)).includes(name));
  return name;
}

async function containerNames(ofState: string): Promise<readonly string[]> {
  const rows = await podman.containers({ 'dev.llmx.state': ofState });
  return rows.filter(({ running }) => running).map(({ name }) => name);
}

/** The folder of a trial with a sandbox, and a supervisor that is this process, or dead. */
async function trial(trialHash: string, supervisor: 'alive' | 'dead'): Promise<string> {
  const folder = join(state, 'trials', trialHash);
  await mkdir(join(folder, 'sandboxes', 'home'), { recursive: true });
  await writeFile(join(folder, 'sandboxes', 'home', 'file'), 'x'.repeat(10_000));
  const identity = ownIdentity();
  const owner = supervisor === 'alive' ? identity : { ...identity, startTime: 'another' };
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ fenced: false, ...owner }));
  return folder;
}

const clean = (...argv: readonly string[]): Promise<CliRun> =>
  runCli(['clean', ...argv], { cwd: dir, env: { LLMX_STATE_DIR: state } });

const named = ({ items }: CleanJson): readonly string[] => items.map(({ name }) => name);

describe('clean', () => {
  it('reports what there is and deletes nothing', async () => {
    const dead = await trial('deadreport1', 'dead');
    const container = await startContainer('deadreport1');
    const tag = await ourImage('report');
    const { exit, stdout } = await clean();
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^images: \d+ \(up to .*\) {2}llmx-client clean --images$/m);
    expect(stdout).toContain(tag);
    expect(stdout).toMatch(/^leftovers: 2 \(.*\) {2}llmx-client clean --leftovers$/m);
    expect(stdout).toContain(container);
    expect(stdout).toMatch(/\nnothing was deleted$/);
    expect(await containerNames(stateId)).toEqual([container]);
    expect(existsSync(join(dead, 'sandboxes', 'home', 'file'))).toBe(true);
    expect(await podman.image(tag)).not.toBeNull();
  });

  it('gives the same as one JSON value', async () => {
    await trial('deadjson1', 'dead');
    const { exit, json } = await clean('--json');
    expect(exit).toBe(0);
    expect(json()).toMatchObject({ schemaVersion: 1, kind: 'clean', removed: 0 });
    const own = json<CleanJson>().items.filter(({ kind }) => kind === 'leftovers');
    expect(own).toEqual([
      expect.objectContaining({
        what: 'sandbox',
        name: 'trials/deadjson1',
        engine: null,
        kept: null,
        removed: false,
      }),
    ]);
  });

  it('deletes nothing where nobody can be asked, and says what to type', async () => {
    const dead = await trial('deadrefuse', 'dead');
    const refused = await clean('--leftovers');
    expect(refused.exit).toBe(2);
    expect(refused.stdout).toContain('trials/deadrefuse');
    expect(refused.stderr).toContain('next: llmx-client clean --leftovers --yes');
    const asJson = await clean('--leftovers', '--images', '--json');
    expect(asJson.exit).toBe(2);
    expect(asJson.json()).toMatchObject({
      error: {
        code: 'clean_not_confirmed',
        hint: 'llmx-client clean --images --leftovers --yes',
      },
    });
    expect(existsSync(dead)).toBe(true);
  });

  it('does not take --yes for a wish to delete something', async () => {
    const { exit, stderr } = await clean('--yes');
    expect(exit).toBe(2);
    expect(stderr).toMatch(/--images, --builder or --leftovers/);
  });

  it('asks on a terminal, and only a yes is one', async () => {
    const dead = await trial('deadasked', 'dead');
    const ask = (input: string) =>
      execa(
        'script',
        ['-qec', `${process.execPath} bin/llmx-client.js clean --leftovers`, '/dev/null'],
        {
          input,
          env: { LLMX_STATE_DIR: state },
        },
      );
    const no = await ask('\n');
    expect(no.stdout).toMatch(/Remove 1 sandbox \(.*\)\? \[y\/N\]/);
    expect(no.stdout).toMatch(/nothing was deleted/);
    expect(existsSync(join(dead, 'sandboxes'))).toBe(true);
    expect((await ask('y\n')).stdout).toMatch(/removed 1 sandbox/);
    expect(existsSync(join(dead, 'sandboxes'))).toBe(false);
  });
});

describe('clean --leftovers', () => {
  it('removes containers and sandboxes of dead supervisors of this state folder only', async () => {
    const dead = await trial('deadlive1', 'dead');
    const living = await trial('living1', 'alive');
    const ofDead = await startContainer('deadlive1');
    const ofGone = await startContainer('goneaway1');
    const ofLiving = await startContainer('living1');
    const other = await startContainer('deadlive2', 'anotherstate');
    const { exit, json } = await clean('--leftovers', '--yes', '--json');
    expect(exit).toBe(0);
    const found = json<CleanJson>();
    expect(new Set(named(found))).toEqual(new Set([ofDead, ofGone, 'trials/deadlive1']));
    expect(found.removed).toBe(3);
    expect(await containerNames(stateId)).toEqual([ofLiving]);
    expect(await containerNames('anotherstate')).toEqual([other]);
    expect(existsSync(join(dead, 'sandboxes'))).toBe(false);
    expect(existsSync(join(living, 'sandboxes', 'home', 'file'))).toBe(true);
    expect((await clean('--leftovers')).stdout).toMatch(/leftovers: none\nnothing to remove$/);
  });

  it('ends processes of a dead trial and no others', async () => {
    const mark = (trialHash: string, ofState: string) =>
      spawn('sleep', ['600'], { env: { LLMX_TRIAL: trialHash, LLMX_STATE: ofState } });
    await trial('livingproc', 'alive');
    const [dead, living, other] = [
      mark('deadproc', stateId),
      mark('livingproc', stateId),
      mark('deadproc', 'anotherstate'),
    ];
    try {
      const { exit, stdout } = await clean('--leftovers', '--yes');
      expect(exit).toBe(0);
      expect(stdout).toContain('processes of trial deadproc');
      await until(() => dead.signalCode !== null);
      expect([living.signalCode, other.signalCode]).toEqual([null, null]);
    } finally {
      for (const child of [dead, living, other]) child.kill('SIGKILL');
    }
  });

  it('keeps a trial that is over until its record is written', async () => {
    const folder = await trial('deadover', 'dead');
    await writeFile(join(folder, 'outcome.json'), '{}');
    await clean('--leftovers', '--yes');
    expect(existsSync(join(folder, 'sandboxes', 'home', 'file'))).toBe(true);
  });

  it('removes what killed writes and builds left a day ago, and templates nobody starts from', async () => {
    const old = new Date(Date.now() - 2 * DAY_MS);
    const made = ['images/.a.json.0123456789ab.tmp', 'templates/.building-x1', 'contexts/build-y1'];
    const fresh = [
      'images/.b.json.0123456789ab.tmp',
      'templates/.building-x2',
      'contexts/build-y2',
    ];
    for (const path of [...made, ...fresh, 'templates/unused', 'images/c.json']) {
      await mkdir(join(state, path), { recursive: true });
      if (made.includes(path)) await utimes(join(state, path), old, old);
    }
    const { exit, json } = await clean('--leftovers', '--yes', '--json');
    expect(exit).toBe(0);
    expect(new Set(named(json<CleanJson>()))).toEqual(new Set([...made, 'templates/unused']));
    for (const path of [...fresh, 'images/c.json'])
      expect(existsSync(join(state, path))).toBe(true);
    for (const path of made) expect(existsSync(join(state, path))).toBe(false);
  });
});

describe('clean --images', () => {
  it('removes images of this state folder, also one that another was built on', async () => {
    const parent = await ourImage('parent', { [KIND_LABEL]: 'base' });
    const child = await ourImage('child', {}, 'Child');
    const { exit, json } = await clean('--images', '--yes', '--json');
    expect(exit).toBe(0);
    const removed = json<CleanJson>().items.filter((item) => item.removed);
    expect(removed.map(({ name }) => name)).toEqual([child, parent]);
    expect([await podman.image(parent), await podman.image(child)]).toEqual([null, null]);
  });

  it('leaves those of other state folders, those that only look like ours, and those built on ours', async () => {
    const other = await ourImage('other', { [BUILT_FOR_LABEL]: 'anotherstate' });
    await ourImage('parent');
    const derived = `${NAME}-derived:latest`;
    built.unshift(derived);
    await build(derived, {}, 'Child');
    const { json } = await clean('--json');
    const items = json<CleanJson>().items;
    expect(items.find(({ name }) => name === other)).toMatchObject({
      kept: 'built for another state folder',
      removed: false,
    });
    expect(items.map(({ name }) => name)).not.toContain(derived);
    // Ours may have to stay for what a person has built on it; then that is said.
    await clean('--images', '--yes');
    for (const name of [other, derived, `${NAME}-foreign:latest`]) {
      expect(await podman.image(name)).not.toBeNull();
    }
  });

  it('leaves the image of a trial that runs, and says which it could not remove', async () => {
    const used = await ourImage('used');
    await startContainer('usedby1', 'anotherstate', used);
    const failed = await clean('--images', '--yes');
    expect(failed.exit).toBe(1);
    expect(failed.stderr).toContain(`1 of 1 could not be removed; image ${used}`);
    const folder = await trial('livingimage', 'alive');
    const spec = {
      schemaVersion: 1,
      attemptDir: dir,
      marker: {},
      facts: {},
      agent: {},
      program: {},
    };
    const sandbox = { runtime: 'podman', image: (await podman.image(used))?.id ?? null };
    await writeFile(join(folder, 'spec.json'), JSON.stringify({ ...spec, times: {}, sandbox }));
    const { exit, json } = await clean('--images', '--yes', '--json');
    expect(exit).toBe(0);
    expect(json<CleanJson>().items.find(({ name }) => name === used)).toMatchObject({
      kept: 'a running grid or trial uses it',
    });
  });
});

describe('clean --builder', () => {
  it('deletes the builder of Apple’s container, as its stand-in shows', async () => {
    const apple = await standIn({ version: '1.2.2' });
    const env = { LLMX_STATE_DIR: state, PATH: apple.path, DOCKER_HOST: `unix://${dir}/no.sock` };
    try {
      apple.builder({ cpus: 6, memoryMb: 8192, state: 'running', cached: 3 });
      const run = await runCli(['clean', '--builder', '--yes', '--json'], { cwd: dir, env });
      expect(named(run.json<CleanJson>())).toEqual(['build cache of apple']);
      expect(run.json<CleanJson>().removed).toBe(1);
      const again = await runCli(['clean', '--builder'], { cwd: dir, env });
      expect(again.stdout).toBe('build cache: none\nnothing to remove');
    } finally {
      apple.remove();
    }
  });
});

describe('an engine that can not be asked', () => {
  it('is named, and the rest goes on', async () => {
    await trial('deadengine', 'dead');
    const env = {
      LLMX_STATE_DIR: state,
      DOCKER_HOST: `unix://${dir}/no.sock`,
      PATH: join(dir, 'bin'),
    };
    await mkdir(env.PATH);
    await writeFile(
      join(env.PATH, 'docker'),
      '#!/bin/sh\necho "Cannot connect to the daemon" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    for (const program of ['rm', 'sh']) {
      await execa('sh', ['-c', `ln -s "$(command -v ${program})" "$1"`, 'sh', env.PATH]);
    }
    const { exit, stderr, stdout } = await runCli(['clean'], { cwd: dir, env });
    expect(exit).toBe(0);
    expect(stderr).toContain(
      'docker does not answer: Cannot connect to the daemon; next: docker info',
    );
    expect(stderr).toMatch(/not installed here: .*podman/);
    expect(stdout).toContain('trials/deadengine');
    const json = await runCli(['clean', '--leftovers', '--yes', '--json'], { cwd: dir, env });
    expect(json.json<CleanJson>()).toMatchObject({ removed: 1 });
    expect(json.json<CleanJson>().engines).toContainEqual(
      expect.objectContaining({ engine: 'docker', state: 'does not answer' }),
    );
  });
});
