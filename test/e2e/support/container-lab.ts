import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineOf } from '../../../src/runtimes/containers/engines.js';
import { stateIdOf } from '../../../src/trial/ids.js';
import { runCli, type CliRun } from '../../fixtures/built-cli.js';

type Kind = 'apple' | 'docker' | 'podman';

/** docker is tried where its engine answers; podman needs none, so it has to be there. */
export async function enginesHere(): Promise<readonly ('docker' | 'podman')[]> {
  const docker = await engineOf('docker').probe();
  return docker.ok ? ['podman', 'docker'] : ['podman'];
}

/** Images that only tests use. */
const BASE_IMAGE = 'llmx-test-base:latest';

/** Which base image a lab has. Only one of all tests that use it is built. */
interface BaseOfLab {
  readonly image: string;
  readonly agents: string;
}

/** An experiment on an engine, with a base image of this machine's own programs. */
export class ContainerLab {
  private constructor(
    readonly kind: Kind,
    readonly dir: string,
    readonly stateDir: string,
    readonly appImage: string,
    private readonly root: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly base: BaseOfLab,
  ) {}

  /** @param fill puts the experiment into the folder; it says `image: <appImage>` and `runtime: <kind>` */
  static async make(
    kind: Kind,
    app: string,
    fill: (dir: string, appImage: string) => Promise<void>,
    env: Readonly<Record<string, string>> = {},
    base: BaseOfLab = { image: BASE_IMAGE, agents: 'none' },
  ): Promise<ContainerLab> {
    const root = await mkdtemp(join(tmpdir(), 'llmx-contained-'));
    const dir = join(root, 'experiment');
    const appImage = `llmx-test-${root.slice(-6).toLowerCase()}:latest`;
    await fill(dir, appImage);
    const stateDir = join(root, 'state');
    const lab = new ContainerLab(kind, dir, stateDir, appImage, root, env, base);
    await lab.must('build', 'base', '--from-host', '--agents', base.agents);
    await lab.must('build', 'app', app);
    return lab;
  }

  cli(...argv: readonly string[]): Promise<CliRun> {
    const env = { LLMX_STATE_DIR: this.stateDir, LLMX_BASE_IMAGE: this.base.image, ...this.env };
    return runCli(argv, { cwd: this.dir, env });
  }

  async must(...argv: readonly string[]): Promise<CliRun> {
    const run = await this.cli(...argv);
    if (run.exit !== 0) throw new Error(`${argv.join(' ')}: ${run.exit ?? '?'}: ${run.stderr}`);
    return run;
  }

  /** Names of all containers that this lab has in the engine. */
  async containers(): Promise<readonly string[]> {
    const state = stateIdOf(this.stateDir);
    const rows = await engineOf(this.kind).containers({ 'dev.llmx.state': state });
    return rows.map(({ name }) => name);
  }

  async end(): Promise<void> {
    await this.cli('worker', 'stop');
    await this.cli('server', 'stop');
    const engine = engineOf(this.kind);
    const own = this.appImage.split(':')[0] ?? '';
    for (const { reference } of await engine.images()) {
      if (reference !== null && reference.startsWith(own)) await engine.removeImage(reference);
    }
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A server on the loopback of this machine that counts who comes. */
export async function countingServer(): Promise<{
  readonly port: number;
  readonly visitors: () => number;
  readonly close: () => void;
}> {
  const { createServer } = await import('node:net');
  let visitors = 0;
  const server = createServer((socket) => {
    visitors += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, visitors: () => visitors, close: () => server.close() };
}

export async function writeApps(dir: string, app: string): Promise<void> {
  await writeFile(join(dir, '.apps.local'), `LLMX_APP_APP=${app}\n`);
}
