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
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appleEngine } from '../../src/runtimes/containers/apple/apple-engine.js';
import { callContainer, mustContainer } from '../../src/runtimes/containers/apple/call.js';
import { containerRuntime } from '../../src/runtimes/containers/container-runtime.js';
import type { ContainerRun } from '../../src/runtimes/containers/engine.js';
import { packHostRoot } from '../../src/runtimes/containers/host-root.js';
import { appleChecks } from '../../src/preflight/checks/apple.js';
import type { Sandbox, SandboxCommand } from '../../src/runtimes/runtime.js';
import { pollUntil } from '../../src/support/poll.js';
import { standIn, type StandIn } from '../fixtures/apple-container/stand-in.js';
import { CHECKED_FILE, subjectOf } from '../fixtures/check-subject.js';
import { edited } from '../fixtures/experiment-text.js';

const PROGRAMS = ['bash', 'sh', 'cat', 'sleep', 'id', 'head', 'touch', 'env', 'grep', 'tr', 'ls'];
const BASE = 'llmx-apple-base:test';
const TAG = 'llmx-apple:test';
const MIB = 1024 ** 2;

// Every call of the stand-in starts node and podman.
jest.setTimeout(60_000);

let dir = '';
let apple: StandIn;
const kept = { ...process.env };
const said: string[] = [];
const engine = appleEngine((line) => said.push(line));

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-apple-'));
  apple = await standIn({ version: '1.2.2' });
  process.env['PATH'] = apple.path;
  const tar = join(dir, 'root.tar');
  await packHostRoot({ programs: PROGRAMS, files: [], users: [] }, tar);
  execFileSync('podman', ['import', tar, `localhost/${BASE}`], { stdio: 'ignore' });
  const context = contextOf(`FROM localhost/${BASE}
COPY greet /opt/tools/greet
ENV PATH=/opt/tools:/usr/bin:/bin SAID=image
`);
  await engine.build(buildOf(TAG, context));
}, 120_000);

afterAll(() => {
  process.env = kept;
  apple.remove();
  for (const tag of [TAG, BASE]) {
    execFileSync('podman', ['rmi', '--force', `localhost/${tag}`], { stdio: 'ignore' });
  }
  rmSync(dir, { recursive: true, force: true });
});

beforeEach(() => {
  apple.forget();
  apple.set({ version: '1.2.2' });
  said.length = 0;
});

afterEach(() => {
  for (const name of ['LLMX_BUILDER_CPUS', 'LLMX_BUILDER_MEMORY', 'LLMX_MIN_FREE_GB']) {
    delete process.env[name];
  }
});

function contextOf(dockerfile: string): string {
  const context = mkdtempSync(join(dir, 'context-'));
  writeFileSync(join(context, 'Dockerfile'), dockerfile);
  writeFileSync(join(context, 'greet'), '#!/bin/sh\necho "hello from the tools"\n', {
    mode: 0o755,
  });
  return context;
}

const buildOf = (tag: string, contextDir: string, timeoutMs = 60_000) => ({
  tag,
  contextDir,
  file: 'Dockerfile',
  buildArgs: { KIND: 'a b=c' },
  labels: { 'dev.llmx.app': 'shop' },
  logFile: join(dir, 'build.log'),
  timeoutMs,
});

let count = 0;
const newName = () => `llmx-apple-${process.pid}-${(count += 1)}`;

const runOf = (shellLine: string, change: Partial<ContainerRun> = {}): ContainerRun => ({
  name: newName(),
  image: TAG,
  labels: { 'dev.llmx.trial': 'abc', 'dev.llmx.state': 'here' },
  memory: { text: '256m', bytes: 256 * MIB },
  cpus: '1',
  pidsLimit: 64,
  network: 'none',
  mounts: [],
  env: {},
  workdir: '/tmp',
  user: '1001:1001',
  argv: ['sh', '-c', shellLine],
  ...change,
});

interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(run: ContainerRun) {
  const { argv, env } = await engine.runCommand(run);
  const child = spawn(argv[0], argv.slice(1), { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<Ran>((resolve) => {
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.once('close', (exit) => resolve({ exit, stdout, stderr }));
  });
  return { child, ended };
}

async function ran(run: ContainerRun, stdin = ''): Promise<Ran> {
  const { child, ended } = await start(run);
  child.stdin.end(stdin);
  return ended;
}

const isRunning = async (name: string) =>
  (await engine.containers({})).find((row) => row.name === name)?.running === true;

const untilRunning = async (name: string) =>
  expect(
    await pollUntil(async () => ((await isRunning(name)) ? true : null), { timeoutMs: 20_000 }),
  ).toBe(true);

describe.each(['0.9.0', '1.2.2'])('container %s', (version) => {
  beforeEach(() => {
    apple.set({ version });
  });

  it('is found, with what it lacks', async () => {
    const probe = await engine.probe();
    expect(probe).toMatchObject({ ok: true, version, hint: null });
    expect(probe.detail).toBe(
      version === '0.9.0'
        ? 'container 0.9.0; without dropped capabilities, which newer versions have'
        : `container ${version}`,
    );
  });

  it.each([0, 1, 64])('passes on the exit code of the command: %i', async (code) => {
    const end = await ran(runOf(`exit ${code}`));
    expect(end.exit).toBe(code);
    expect(engine.runFailure(code, end.stderr)).toBeNull();
  });

  it('keeps output and error output apart, and passes the input on', async () => {
    const end = await ran(runOf('cat; echo oops >&2'), 'some text');
    expect(end).toEqual({ exit: 0, stdout: 'some text', stderr: 'oops\n' });
  });

  it('runs as the user, in the folder, with the environment and no network', async () => {
    const run = runOf('id -u; id -g; pwd; printf "%s|" "$TEXT" "$SAID"; cat /proc/net/dev', {
      env: { TEXT: 'a b\nc=d', SAID: 'trial' },
    });
    const { stdout } = await ran(run);
    expect(stdout).toMatch(/^1001\n1001\n\/tmp\na b\nc=d\|trial\|/);
    expect([...stdout.matchAll(/(\w+):/g)].map(([, name]) => name)).toEqual(['lo']);
  });

  it('finds the programs that the image’s PATH names, even where the CLI does not', async () => {
    apple.set({ version, appliesImagePath: false });
    expect(await ran(runOf('greet'))).toMatchObject({ stdout: 'hello from the tools\n' });
  });

  it('keeps the base as it is, /tmp apart', async () => {
    const { stdout } = await ran(
      runOf('touch /tmp/mine && echo tmp; touch /opt/tools/x 2>/dev/null || echo kept', {
        user: '0:0',
      }),
    );
    expect(stdout).toBe('tmp\nkept\n');
  });

  it('mounts a folder, read-only when asked', async () => {
    const [open, closed] = [mkdtempSync(join(dir, 'm-')), mkdtempSync(join(dir, 'm-'))];
    const mounts = [
      { source: open, target: '/open', readOnly: false },
      { source: closed, target: '/closed', readOnly: true },
    ];
    const line = 'echo 1 > /open/made; echo 1 > /closed/made';
    await ran(runOf(line, { mounts, user: '0:0' }));
    expect(readFileSync(join(open, 'made'), 'utf8')).toBe('1\n');
    expect(() => readFileSync(join(closed, 'made'))).toThrow(/ENOENT/);
  });

  it('refuses a name that is taken, and says that it was not the command', async () => {
    const run = runOf('cat');
    const first = await start(run);
    await untilRunning(run.name);
    const second = await ran(run);
    expect(second.exit).toBe(1);
    expect(engine.runFailure(1, second.stderr)).toMatch(/already exists/);
    first.child.stdin.end();
    expect((await first.ended).exit).toBe(0);
  });

  it('leaves the container when the client is killed, and removes it when told to', async () => {
    const run = runOf('trap "" TERM; while :; do sleep 1; done');
    const { child, ended } = await start(run);
    await untilRunning(run.name);
    child.kill('SIGKILL');
    await ended;
    expect(await engine.containers({ 'dev.llmx.trial': 'abc' })).toContainEqual({
      name: run.name,
      running: true,
      labels: run.labels,
    });
    expect(await engine.containers({ 'dev.llmx.trial': 'other' })).toEqual([]);
    apple.forget();
    expect(await engine.remove(run.name)).toBe(true);
    const list = ['ls', '--all', '--format', 'json'];
    const steps = [list, ['kill', run.name], ['delete', '--force', run.name], list];
    expect(apple.calls()).toEqual(steps);
    expect(await engine.remove(run.name)).toBe(false);
  });

  it('lists containers without the builder', async () => {
    apple.builder({ cpus: 6, memoryMb: 8192, state: 'running', cached: 0 });
    expect(await engine.containers({})).toEqual([]);
  });

  it('knows images by name and by id, runs them by id, and never pulls', async () => {
    const id = (await engine.image(TAG))?.id ?? null;
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await engine.images()).find(({ reference }) => reference === TAG)).toMatchObject({
      id,
      labels: { 'dev.llmx.app': 'shop' },
    });
    expect((await ran(runOf('echo here', { image: id ?? '' }))).stdout).toBe('here\n');
    for (const image of ['llmx-nosuch:v1', `sha256:${'0'.repeat(64)}`]) {
      expect(await engine.image(image)).toBeNull();
      await expect(engine.runCommand(runOf('true', { image }))).rejects.toMatchObject({
        code: 'image_missing',
      });
    }
    expect(await engine.removeImage('llmx-nosuch:v1')).toBe(false);
    expect(apple.events()).toEqual([]);
  });

  it('builds with the builder’s own envelope, whose cache so survives', async () => {
    const context = contextOf(`FROM localhost/${BASE}\nCOPY greet /greet\n`);
    for (const tag of ['llmx-apple-a:test', 'llmx-apple-b:test']) {
      await engine.build(buildOf(tag, context));
    }
    expect(apple.events()).toEqual([{ builder: 'started', cpus: 6, memoryMb: 8192 }]);
    expect(apple.readBuilder()).toMatchObject({ cached: 2 });
    for (const tag of ['llmx-apple-a:test', 'llmx-apple-b:test']) {
      expect(await engine.removeImage(tag)).toBe(true);
    }
  });

  it('does not work without its apiserver, and says how to start it', async () => {
    apple.fault('apiserver-down');
    expect(await engine.probe()).toMatchObject({ ok: false, hint: 'container system start' });
    for (const call of [
      () => engine.containers({}),
      () => engine.images(),
      () => engine.image(TAG),
      () => engine.remove('llmx-nosuch'),
      () => engine.runCommand(runOf('true')),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'engine_unreachable',
        message: expect.stringContaining('its apiserver does not answer'),
        hint: 'container system start',
      });
    }
  });
});

describe('an older or a mixed installation', () => {
  it('is refused before a container can be cut off from the network', async () => {
    apple.set({ version: '0.5.0' });
    expect(await engine.probe()).toMatchObject({
      ok: false,
      version: '0.5.0',
      hint: expect.stringContaining('install a newer container'),
    });
    await expect(engine.runCommand(runOf('true'))).rejects.toMatchObject({
      code: 'engine_unreachable',
    });
  });

  it('runs trials on the oldest version taken', async () => {
    apple.set({ version: '0.6.0' });
    expect((await ran(runOf('echo "$SAID"; exit 5'))).stdout).toBe('image\n');
  });

  it.each(['1.2.2', '1.4.1'])('names an apiserver of another version: %s', async (version) => {
    apple.set({ version, apiserverVersion: '1.1.0' });
    expect((await engine.probe()).detail).toMatch(/its apiserver is still 1\.1\.0/);
  });

  it('is not mistaken for another program of that name', async () => {
    const other = mkdtempSync(join(dir, 'other-'));
    writeFileSync(join(other, 'container'), '#!/bin/sh\necho container 3\n', { mode: 0o755 });
    process.env['PATH'] = `${other}:${apple.path}`;
    try {
      expect((await engine.probe()).detail).toMatch(/is not Apple’s: it says "container 3"/);
    } finally {
      process.env['PATH'] = apple.path;
    }
  });
});

describe('the image builder', () => {
  const build = () => {
    const context = contextOf(`FROM localhost/${BASE}\nENV MADE=1\n`);
    return engine.build(buildOf('llmx-apple-c:test', context, 30_000));
  };
  afterEach(async () => {
    await engine.removeImage('llmx-apple-c:test');
  });

  it('is kept when it has more than is wanted, and told so in every build', async () => {
    apple.builder({ cpus: 8, memoryMb: 16_384, state: 'running', cached: 3 });
    await build();
    expect(apple.events()).toEqual([]);
    expect(apple.readBuilder()).toMatchObject({ cpus: 8, memoryMb: 16_384, cached: 4 });
  });

  it.each([
    [6, 2048],
    [2, 8192],
  ])('is started anew when it has less: %i CPUs and %i MB', async (cpus, memoryMb) => {
    apple.set({ version: '1.2.2', buildNeedsMb: 4096 });
    apple.builder({ cpus, memoryMb, state: 'running', cached: 3 });
    await build();
    expect(apple.readBuilder()).toMatchObject({ cpus: 6, memoryMb: 8192, cached: 1 });
    expect(apple.calls()).toContainEqual(['builder', 'stop']);
    expect(said).toContain(`the builder has ${cpus} CPUs and ${memoryMb} MB; starting it anew`);
  });

  it('is as big as the environment says', async () => {
    process.env['LLMX_BUILDER_CPUS'] = '3';
    process.env['LLMX_BUILDER_MEMORY'] = '3G';
    await build();
    expect(apple.readBuilder()).toMatchObject({ cpus: 3, memoryMb: 3072 });
  });

  it('is started with the system when nothing runs', async () => {
    apple.system(false);
    await build();
    expect(apple.calls()).toContainEqual(['system', 'start', '--enable-kernel-install']);
    expect(apple.readBuilder()).toMatchObject({ state: 'running' });
  });

  it('that dies without a word is what the error names', async () => {
    apple.set({ version: '1.2.2', buildNeedsMb: 1e6 });
    await expect(build()).rejects.toMatchObject({
      code: 'image_build_failed',
      message: expect.stringContaining('the builder died without a message'),
      hint: expect.stringContaining('container builder delete --force'),
    });
  });

  it('that fails says why, and where the whole output is', async () => {
    const context = contextOf(`FROM localhost/${BASE}\nCOPY nosuch /x\n`);
    const failed = engine.build(buildOf('llmx-apple-c:test', context));
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining('failed to solve'),
      hint: `cat ${join(dir, 'build.log')}`,
    });
    expect(readFileSync(join(dir, 'build.log'), 'utf8')).toMatch(/nosuch/);
  });

  it('is not asked at all on a full disk', async () => {
    apple.free(3);
    process.env['LLMX_MIN_FREE_GB'] = '20';
    await expect(build()).rejects.toMatchObject({
      code: 'build_disk_low',
      message: expect.stringContaining('only 3 GB free; this build needs about 20 GB'),
    });
    expect(apple.calls()).not.toContainEqual(expect.arrayContaining(['build']));
  });

  it('that hangs in a build costs no more than the build’s time', async () => {
    apple.fault('hang-build');
    const context = contextOf(`FROM localhost/${BASE}\n`);
    await expect(engine.build(buildOf('llmx-apple-c:test', context, 1_500))).rejects.toMatchObject({
      message: expect.stringContaining('it took too long'),
    });
  });
});

describe('a call that hangs', () => {
  it('is killed at its time limit, deaf to milder signals', async () => {
    apple.fault('hang-ls');
    const started = performance.now();
    await expect(mustContainer(['ls', '-a'], 1_000)).rejects.toMatchObject({
      code: 'engine_unreachable',
      message: expect.stringContaining('container ls -a: no answer in 1 s'),
      hint: 'container system stop && container system start',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('output that nobody reads', () => {
  it('costs the exit code, which is told from one of the command', async () => {
    apple.set({ version: '1.2.2', drainMs: 300 });
    const line = 'head -c 1000000 /dev/zero | tr "\\0" x; exit 7';
    const { argv, env } = await engine.runCommand(runOf(line));
    const child = spawn(argv[0], argv.slice(1), { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const exit = await new Promise((resolve) => child.once('exit', resolve));
    expect(exit).toBe(1);
    expect(engine.runFailure(1, stderr)).toMatch(/failed to run container/);
    child.stdout.destroy();
    expect((await ran(runOf(line))).exit).toBe(7);
  });
});

describe('a trial in it', () => {
  const runtime = containerRuntime(engine);
  const marker = { trialHash: `apple-${process.pid}`, stateId: 'here' };
  let sandbox: Sandbox;

  beforeEach(async () => {
    const id = (await engine.image(TAG))?.id ?? null;
    sandbox = await runtime.prepare({
      marker,
      grid: 'grid/1',
      root: join(dir, 'sandbox'),
      image: id,
      memory: { text: '256m', bytes: 256 * MIB },
      cpus: '0.5',
      network: 'none',
      stage: 'trial',
    });
  });
  afterEach(async () => {
    await runtime.endLeftovers(marker, sandbox.host.root);
    await runtime.destroy(marker, sandbox.host.root);
  });

  const command = (line: string, change: Partial<SandboxCommand> = {}): SandboxCommand => ({
    argv: ['sh', '-c', line],
    env: sandbox.env,
    timeoutMs: 60_000,
    killGraceMs: 300,
    signal: new AbortController().signal,
    ...change,
  });

  it('shares its folders with the host, whose user can remove them', async () => {
    const end = await runtime.run(sandbox, command('echo made > "$HOME/../out/file"; exit 3'));
    expect(end).toMatchObject({ exit: 3, timedOut: false, detail: null, proof: 'container' });
    expect(readFileSync(join(sandbox.host.out, 'file'), 'utf8')).toBe('made\n');
    expect(await runtime.findLeftovers('here')).toEqual([]);
  });

  it('is over at its deadline, whatever it ignores', async () => {
    const line = 'trap "" TERM; cat; while :; do sleep 1; done';
    const end = await runtime.run(sandbox, command(line, { timeoutMs: 2_500 }));
    expect(end).toMatchObject({ exit: null, signal: 'SIGKILL', timedOut: true });
    expect(await runtime.findLeftovers('here')).toEqual([]);
  });

  it('is over as well when the client itself hangs', async () => {
    apple.fault('hang-run');
    const end = await runtime.run(sandbox, command('true', { timeoutMs: 1_000 }));
    expect(end).toMatchObject({ exit: null, timedOut: true });
  });

  it('tells a failure of the engine from one of the command', async () => {
    apple.fault('apiserver-down');
    const run = command('true');
    await expect(runtime.run(sandbox, run)).rejects.toMatchObject({ code: 'engine_unreachable' });
    rmSync(join(apple.bin, '..', 'faults'), { recursive: true });
    const name = sandbox.container?.name ?? '';
    const other = ['run', '--name', name, TAG, 'sleep', '60'];
    const taken = spawn('container', other, { env: process.env, stdio: 'ignore' });
    await untilRunning(name);
    expect(await runtime.run(sandbox, run)).toMatchObject({
      exit: 125,
      detail: expect.stringContaining('already exists'),
    });
    taken.kill('SIGKILL');
  });

  it('whose container was killed is void, and leaves nothing', async () => {
    const name = sandbox.container?.name ?? '';
    const running = runtime.run(sandbox, command('sleep 60'));
    await untilRunning(name);
    expect(await runtime.findLeftovers('here')).toEqual([marker.trialHash]);
    await callContainer(['kill', name]);
    const end = await running;
    expect(end).toMatchObject({ exit: 137, detail: expect.stringContaining('killed (exit 137)') });
    expect(await runtime.findLeftovers('here')).toEqual([]);
  });
});

describe('the checks of a host with it', () => {
  const subject = (kind = 'apple') =>
    subjectOf(dir, edited('runtime: process\n', `runtime: ${kind}\n`, CHECKED_FILE));
  const shown = async () =>
    (await appleChecks(subject())).map(({ name, status, detail, hint }) => [
      name,
      status,
      detail,
      hint,
    ]);

  it('are those of the CLI, its apiserver and its builder, in this order', async () => {
    expect(await shown()).toEqual([
      ['container CLI', 'ok', expect.stringMatching(/^container CLI version 1\.2\.2 \(/), null],
      ['apiserver', 'ok', 'running', null],
      ['builder', 'warn', 'not running', 'started by itself on the first build'],
    ]);
    for (const call of apple.calls()) expect(call).not.toContain('start');
  });

  it('tell a builder that starves from one that does not', async () => {
    apple.builder({ cpus: 6, memoryMb: 8192, state: 'running', cached: 0 });
    expect((await shown())[2]).toEqual(['builder', 'ok', 'running with 6 CPUs and 8192 MB', null]);
    apple.builder({ cpus: 6, memoryMb: 2048, state: 'running', cached: 0 });
    expect((await shown())[2]).toEqual([
      'builder',
      'warn',
      expect.stringContaining('running with only 6 CPUs and 2048 MB'),
      'the next build starts it anew with 6 CPUs and 8192 MB',
    ]);
  });

  it('fail without the apiserver', async () => {
    apple.system(false);
    expect((await shown()).slice(1)).toEqual([
      ['apiserver', 'fail', 'its apiserver is not running', 'container system start'],
      ['builder', 'warn', 'not known without the apiserver', 'container system start'],
    ]);
  });

  it('end with the CLI where there is none, and are none for another runtime', async () => {
    process.env['PATH'] = dir;
    try {
      expect(await shown()).toEqual([
        [
          'container CLI',
          'fail',
          'Apple’s container CLI was not found',
          'install container from Apple, then: container system start',
        ],
      ]);
    } finally {
      process.env['PATH'] = apple.path;
    }
    expect(await appleChecks(subject('podman'))).toEqual([]);
  });
});
