import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMarked } from '../../src/runtimes/marked-processes.js';
import { processRuntime } from '../../src/runtimes/process.js';
import type { Sandbox, SandboxCommand, SandboxEnd } from '../../src/runtimes/runtime.js';
import { hostGives } from './support/hostile-lab.js';
import { isThere, until } from './support/trial-harness.js';

let base: string;
let sandbox: Sandbox;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'llmx-process-'));
  sandbox = await processRuntime.prepare({
    marker: { trialHash: 'a1b2', stateId: base.slice(-6) },
    root: join(base, 'sandbox'),
    image: null,
    memory: { text: '1g', bytes: 1e9 },
    cpus: '1',
    network: 'open',
    grid: null,
    stage: 'trial',
  });
});
afterEach(async () => {
  await processRuntime.destroy(sandbox.marker, sandbox.host.root);
  await rm(base, { recursive: true, force: true });
});

function shell(script: string, changes: Partial<SandboxCommand> = {}): Promise<SandboxEnd> {
  return processRuntime.run(sandbox, {
    argv: ['/bin/sh', '-c', script],
    env: sandbox.env,
    timeoutMs: 20_000,
    killGraceMs: 200,
    signal: new AbortController().signal,
    ...changes,
  });
}

const left = async (): Promise<number> =>
  (await findMarked({ ...sandbox.marker, root: sandbox.host.root })).length;

describe('the process runtime', () => {
  it('works on this machine, and says that it is no wall', async () => {
    const probe = await processRuntime.probe();
    expect(probe.ok).toBe(true);
    expect(probe.detail).toContain('can read this machine');
  });

  it('gives a private home and temp folder, and nothing of the host’s environment but a few names', async () => {
    process.env['LLMX_TEST_SECRET'] = 'secret';
    await shell(`env > "${sandbox.inside.out}/env.txt"; pwd >> "${sandbox.inside.out}/env.txt"`);
    delete process.env['LLMX_TEST_SECRET'];
    const text = await readFile(join(sandbox.host.out, 'env.txt'), 'utf8');
    expect(text).toContain(`HOME=${sandbox.inside.home}\n`);
    expect(text).toContain(`TMPDIR=${sandbox.inside.tmp}\n`);
    expect(text).not.toContain('LLMX_TEST_SECRET');
    expect(text).not.toContain(`HOME=${homedir()}\n`);
  });

  it('reports how the command ended', async () => {
    expect(await shell('exit 7')).toEqual({
      exit: 7,
      signal: null,
      timedOut: false,
      oom: false,
      agentOom: false,
      machineOom: false,
      leftoversKilled: 0,
      detail: null,
      leftoversAlive: 0,
      proof: (await hostGives()).proof,
    });
    expect(await shell('kill -9 $$')).toMatchObject({ exit: null, signal: 'SIGKILL' });
  });

  it('ends a command that passes its deadline, also one that ignores TERM', async () => {
    const end = await shell(`trap '' TERM; while :; do sleep 1; done`, { timeoutMs: 100 });
    expect(end).toMatchObject({ timedOut: true, leftoversAlive: 0 });
    expect(await left()).toBe(0);
  });

  it('lets a command end properly at TERM', async () => {
    const stop = new AbortController();
    const ready = join(sandbox.host.out, 'ready');
    const script = `trap 'echo bye > "${ready}.bye"; exit 3' TERM; : > "${ready}"; while :; do sleep 0.02; done`;
    const end = shell(script, { signal: stop.signal, killGraceMs: 5_000 });
    await until('the command', () => isThere(ready));
    stop.abort();
    expect(await end).toMatchObject({ exit: 3, timedOut: false });
    expect(await isThere(`${ready}.bye`)).toBe(true);
  });

  it('ends what the command left running, in any session', async () => {
    const end = await shell('sleep 300 & setsid sleep 300 & (setsid sleep 300 &) ; sleep 0.05');
    expect(end).toMatchObject({ exit: 0, leftoversKilled: 3, leftoversAlive: 0 });
    expect(await left()).toBe(0);
  });

  it('ends leftovers of a trial that is known by its marker alone', async () => {
    const stop = new AbortController();
    const running = shell('sleep 300', { signal: stop.signal });
    await until('the command', async () => (await left()) > 0);
    const other = { ...sandbox.marker, trialHash: 'other' };
    expect(await processRuntime.endLeftovers(other, join(base, 'other'))).toMatchObject({
      ended: 0,
    });
    const { ended } = await processRuntime.endLeftovers(sandbox.marker, sandbox.host.root);
    expect(ended).toBeGreaterThan(0);
    expect(await running).toMatchObject({ signal: 'SIGKILL' });
  });

  it('finds the marker behind a very large environment', async () => {
    const padding = Array.from({ length: 4 }, (_, at) => [`PADDING_${at}`, 'x'.repeat(100_000)]);
    const stop = new AbortController();
    const env = { ...Object.fromEntries(padding), ...sandbox.env };
    const running = shell('sleep 300', { env, signal: stop.signal });
    const marked = () => findMarked({ ...sandbox.marker, root: null });
    await until('the command', async () => (await marked()).length > 0);
    stop.abort();
    expect(await running).toMatchObject({ leftoversAlive: 0 });
    expect(await marked()).toEqual([]);
  });

  it('finds trials of a state folder of which anything is left', async () => {
    const { stateId, trialHash } = sandbox.marker;
    const { proof } = await hostGives();
    // An empty group is something left, too.
    expect(await processRuntime.findLeftovers(stateId)).toEqual(proof === 'cgroup' ? ['a1b2'] : []);
    const stop = new AbortController();
    const running = shell('sleep 300', { signal: stop.signal });
    await until('the command', async () => (await left()) > 0);
    expect(await processRuntime.findLeftovers(stateId)).toEqual([trialHash]);
    expect(await processRuntime.findLeftovers('someone')).toEqual([]);
    await processRuntime.endLeftovers(sandbox.marker, sandbox.host.root);
    await running;
    expect(await processRuntime.findLeftovers(stateId)).toEqual([]);
  });

  it('leaves processes of another state folder alone', async () => {
    const stop = new AbortController();
    const running = shell('sleep 300', { signal: stop.signal });
    await until('the command', async () => (await left()) > 0);
    const foreign = { ...sandbox.marker, stateId: 'someone' };
    expect(await processRuntime.endLeftovers(foreign, join(base, 'other'))).toMatchObject({
      ended: 0,
    });
    expect(await left()).toBeGreaterThan(0);
    stop.abort();
    await running;
  });

  it('removes a sandbox with read-only folders in it', async () => {
    const folder = join(sandbox.host.home, 'cache');
    await mkdir(folder);
    await writeFile(join(folder, 'file'), 'x');
    await shell(`chmod 500 "${folder}"`);
    await processRuntime.destroy(sandbox.marker, sandbox.host.root);
    expect(await isThere(sandbox.host.root)).toBe(false);
  });
});
