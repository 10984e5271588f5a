import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, type CliRun } from '../fixtures/built-cli.js';
import { makeApp } from '../fixtures/trial/trial-lab.js';
import { temporaryFolder } from '../fixtures/results-folder.js';

jest.setTimeout(240_000);

const FILE = `name: built
runtime: podman
agents: {nop: }
conditions: [plain]
apps:
  shop: {toolchain: none, branch_prefix: exp, test_command: sh, image: 'llmx-test-cli-${process.pid}:latest'}
tasks:
  - {id: t1, app: shop, test_file: test/add.test.sh}
`;
const BASE = `llmx-test-cli-base-${process.pid}:latest`;

let dir = '';
let env: Record<string, string> = {};

beforeEach(async () => {
  dir = await temporaryFolder();
  env = { LLMX_STATE_DIR: join(dir, 'state'), LLMX_MIN_FREE_GB: '1', LLMX_BASE_IMAGE: BASE };
  mkdirSync(join(dir, 'experiment'));
  writeFileSync(join(dir, 'experiment', 'experiment.yml'), FILE);
  writeFileSync(join(dir, 'experiment', '.apps.local'), 'LLMX_APP_SHOP=../app\n');
  makeApp(join(dir, 'app'));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const build = (...argv: readonly string[]): Promise<CliRun> =>
  runCli(['build', ...argv], { cwd: join(dir, 'experiment'), env });

describe('build', () => {
  it('shows how to use it before anything else', async () => {
    const { exit, stdout } = await build('--help');
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Examples:\n {2}llmx-client build base /);
  });

  it.each([
    [['app', 'shp'], 2, 'no app shp in experiment.yml', 'llmx-client build app shop'],
    [['base', '--agents', 'claud'], 2, 'unknown claud', 'llmx-client build base --agents'],
    [['base', '--runtime', 'process'], 2, '--runtime process', 'llmx-client doctor'],
    [['base', '--ca-file', 'no.crt'], 2, 'no.crt can not be read', '--ca-file FILE'],
    [['base', '--from', 'x', '--from-host'], 2, '--from-host', 'llmx-client build base --help'],
    [['app', 'shop'], 2, `image ${BASE} is not there on podman`, 'llmx-client build base'],
  ] as const)('says for %j what is wrong and what to type', async (argv, exit, says, hint) => {
    const run = await build(...argv);
    expect(run).toMatchObject({ exit, stdout: '' });
    expect(run.stderr).toContain(says);
    expect(run.stderr).toContain(hint);
    expect(run.stderr).not.toContain('    at ');
  });

  it('starts nothing on a disk that is too full for it', async () => {
    env['LLMX_MIN_FREE_GB'] = '999999';
    const { exit, stderr } = await build('base', '--from-host');
    expect(exit).toBe(3);
    expect(stderr).toContain('999999 GB are needed');
  });

  it('says of both images whether it built them or they were up to date', async () => {
    try {
      const base = ['base', '--from-host', '--json'];
      const built = (await build(...base)).json();
      expect(built).toMatchObject({
        schemaVersion: 1,
        kind: 'build',
        engine: 'podman',
        built: true,
      });
      expect((await build(...base)).json()).toMatchObject({
        imageId: built['imageId'],
        built: false,
      });
      expect((await build('app', 'shop')).stdout).toMatch(/: built in [\d.]+ s$/);
      expect((await build('app', 'shop')).stdout).toMatch(/: up to date$/);
    } finally {
      execFileSync('podman', ['rmi', '--force', '--ignore', `llmx-test-cli-${process.pid}`, BASE]);
    }
  });
});
