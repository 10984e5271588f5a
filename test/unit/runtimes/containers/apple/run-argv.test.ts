import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArgs } from '../../../../../src/runtimes/containers/apple/run-argv.js';
import type { AppleVersion } from '../../../../../src/runtimes/containers/apple/version.js';
import type { ContainerRun, Mount } from '../../../../../src/runtimes/containers/engine.js';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-argv-'));
  for (const name of ['a=b', 'a,b', 'plain']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'file'), '');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const image = {
  id: 'sha256:1',
  reference: 'app:v1',
  sizeBytes: 1,
  labels: {},
  path: '/opt/node/bin:/usr/bin',
};

function argsOf(version: AppleVersion, change: Partial<ContainerRun> = {}): readonly string[] {
  const run: ContainerRun = {
    name: 'llmx-1',
    image: 'sha256:1',
    labels: { 'dev.llmx.trial': 'abc' },
    memory: { text: '1g', bytes: 1024 ** 3 },
    cpus: '1',
    pidsLimit: 64,
    network: 'none',
    mounts: [],
    env: { HOME: '/trial/home', TEXT: 'a b\nc=d' },
    workdir: '/trial',
    user: '501:20',
    argv: ['node', '--flag', 'x y'],
    ...change,
  };
  return runArgs({ version, image, run });
}

const mounted = (version: AppleVersion, ...mounts: Partial<Mount>[]) =>
  argsOf(version, {
    mounts: mounts.map((mount) => ({ source: dir, target: '/t', readOnly: false, ...mount })),
  });

describe('the call that runs a container', () => {
  it('names all it is held to on a new version', () => {
    const args = argsOf([1, 2, 2]);
    expect(args.slice(0, args.indexOf('-lc'))).toEqual([
      ...['run', '--rm', '--interactive', '--name', 'llmx-1', '--progress', 'none'],
      ...['--label', 'dev.llmx.trial=abc', '--user', '501:20', '--workdir', '/trial'],
      ...['--network', 'none', '--cpus', '1', '--memory', '1024M', '--ulimit', 'nproc=64:64'],
      ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
      ...['--entrypoint', 'bash', 'app:v1'],
    ]);
  });

  it('never leaves the container behind in the background', () => {
    for (const flag of ['-d', '--detach']) expect(argsOf([1, 2, 2])).not.toContain(flag);
  });

  it.each<[AppleVersion, readonly string[], readonly string[]]>([
    [
      [0, 6, 0],
      ['--disable-progress-updates'],
      ['--progress', '--read-only', '--tmpfs', '--ulimit', '--cap-drop'],
    ],
    [
      [0, 8, 0],
      ['--progress', '--read-only'],
      ['--disable-progress-updates', '--ulimit', '--cap-drop'],
    ],
    [[0, 9, 0], ['--read-only', '--ulimit'], ['--cap-drop']],
    [[0, 12, 3], ['--read-only', '--ulimit', '--cap-drop'], ['--disable-progress-updates']],
  ])('gives an older version only what it has: %j', (version, there, missing) => {
    const args = argsOf(version);
    expect(args).toEqual(expect.arrayContaining([...there]));
    for (const flag of missing) expect(args).not.toContain(flag);
  });

  it('goes through a login shell that knows the PATH of the image and the environment', () => {
    const args = argsOf([1, 2, 2]);
    const at = args.indexOf('-lc');
    expect(args.slice(at + 2)).toEqual([
      ...['bash', '/opt/node/bin:/usr/bin', 'HOME=/trial/home', 'TEXT=a b\nc=d'],
      ...['exec', 'node', '--flag', 'x y'],
    ]);
  });

  it.each([
    ['0.5', 1],
    ['1', 1],
    ['1.2', 2],
    ['1000', availableParallelism()],
  ])('takes whole processors, and no more than there are: %s', (cpus, whole) => {
    const args = argsOf([1, 2, 2], { cpus });
    const expected = Math.min(whole, availableParallelism());
    expect(args[args.indexOf('--cpus') + 1]).toBe(`${expected}`);
  });

  it.each([
    [64 * 1024 ** 2, '200M'],
    [512 * 1024 ** 2, '512M'],
    [512 * 1024 ** 2 + 1, '513M'],
  ])('writes memory in whole units, and no less than a machine can have: %i', (bytes, text) => {
    const args = argsOf([1, 2, 2], { memory: { text: 'x', bytes } });
    expect(args[args.indexOf('--memory') + 1]).toBe(text);
  });

  it('takes the network that the CLI has by itself for an open one', () => {
    expect(argsOf([1, 2, 2], { network: 'open' })).not.toContain('--network');
  });

  it('mounts folders one way and single files another', () => {
    const args = mounted(
      [1, 2, 2],
      { source: join(dir, 'plain'), readOnly: true },
      { source: join(dir, 'file'), target: '/f' },
    );
    expect(args).toEqual(
      expect.arrayContaining([
        `type=bind,source=${join(dir, 'plain')},target=/t,readonly`,
        `${join(dir, 'file')}:/f`,
      ]),
    );
  });

  it.each<[string, () => unknown, RegExp]>([
    ['a folder with =', () => mounted([1, 2, 2], { source: join(dir, 'a=b') }), /"=" or ","/],
    ['a folder with a comma', () => mounted([1, 2, 2], { source: join(dir, 'a,b') }), /"=" or ","/],
    ['a source twice', () => mounted([1, 2, 2], {}, { target: '/u' }), /the same folder twice/],
    ['a file too early', () => mounted([0, 8, 0], { source: join(dir, 'file') }), /before version/],
    ['a label with =', () => argsOf([1, 2, 2], { labels: { a: 'b=c' } }), /a label with "="/],
  ])('is not made with what the CLI would misread: %s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});
