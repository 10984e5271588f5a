import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleTrial } from '../../../scripts/bundle-trial.mjs';
import {
  EGRESS_SOCKET,
  PROGRAM_FILES,
  type EgressRoute,
  type ProgramResult,
  type ProgramSpec,
} from '../../../src/domain/trial/program-contract.js';
import { loopbackTargets } from '../../../src/network/allow-list.js';
import { extraModelHosts } from '../../../src/network/model-hosts-variable.js';
import { containerRuntime } from '../../../src/runtimes/containers/container-runtime.js';
import { engineOf } from '../../../src/runtimes/containers/engines.js';
import { packHostRoot } from '../../../src/runtimes/containers/host-root.js';
import type { Sandbox } from '../../../src/runtimes/runtime.js';
import { runCommand } from '../../../src/support/run-command.js';
import { programOf, startProgram, type RunningProgram } from '../../fixtures/run-module.js';

type Kind = 'docker' | 'podman';

const PROGRAMS = ['node', 'sh', 'cat', 'sleep', 'curl', 'getent'];

const PROXY = `
import { startEgressProxy } from './src/network/egress-proxy.ts';
const proxy = await startEgressProxy({ ...JSON.parse(process.argv[2]), env: {} });
process.on('SIGTERM', () => void proxy.close().then((count) => {
  console.log(JSON.stringify(count));
  process.exit();
}));
setInterval(() => undefined, 60_000);
console.log('listening');
`;

/** What an agent that was run without a network printed, and what became of it. */
export interface AgentEnd {
  readonly stdout: string;
  readonly result: ProgramResult;
}

/** Runs agents in containers whose network is `none`, with the real trial program and a proxy outside. */
export class Netless {
  private count = 0;
  private proxyFile = '';
  private programFile = '';

  private constructor(
    readonly kind: Kind,
    readonly dir: string,
    private readonly image: string,
  ) {}

  static async make(kind: Kind): Promise<Netless> {
    const dir = await mkdtemp(join(tmpdir(), 'llmx-netless-'));
    const runtime = containerRuntime(engineOf(kind));
    const probe = await runtime.probe();
    if (!probe.ok) throw new Error(`${kind} is needed here: ${probe.detail}; ${probe.hint ?? ''}`);
    const name = `localhost/llmx-netless-${process.pid}:latest`;
    const tar = join(dir, 'root.tar');
    const missing = await packHostRoot({ programs: PROGRAMS, files: [], users: [] }, tar);
    if (missing.length > 0) throw new Error(`install ${missing.join(', ')}`);
    const imported = await runCommand([kind, 'import', tar, name]);
    if (!imported.ok) throw new Error(imported.stderr);
    const lab = new Netless(kind, dir, name);
    lab.proxyFile = await programOf(PROXY, dir, 'proxy');
    [lab.programFile = ''] = await bundleTrial(dir, ['program']);
    return lab;
  }

  async remove(): Promise<void> {
    await runCommand([this.kind, 'image', 'rm', '--force', this.image]);
    await rm(this.dir, { recursive: true, force: true });
  }

  /** A sandbox of its own below a folder. */
  async prepare(below = this.dir, network: 'model-only' | 'open' = 'model-only'): Promise<Sandbox> {
    this.count += 1;
    await mkdir(below, { recursive: true });
    return containerRuntime(engineOf(this.kind)).prepare({
      marker: { trialHash: `netless${this.count}`, stateId: `${process.pid}` },
      grid: null,
      root: join(below, `sandbox-${this.count}`),
      image: this.image,
      memory: { text: '256m', bytes: 256 * 1024 * 1024 },
      cpus: '1',
      network,
      stage: 'trial',
    });
  }

  logFile(sandbox: Sandbox): string {
    return `${sandbox.host.root}.jsonl`;
  }

  async log(sandbox: Sandbox): Promise<readonly Record<string, unknown>[]> {
    const text = await readFile(this.logFile(sandbox), 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async startProxy(sandbox: Sandbox, hosts: string): Promise<RunningProgram> {
    const options = {
      socketPath: join(sandbox.host.root, EGRESS_SOCKET),
      allow: extraModelHosts({ LLMX_MODEL_HOSTS: hosts }),
      logFile: this.logFile(sandbox),
    };
    const proxy = startProgram(this.proxyFile, JSON.stringify(options));
    await proxy.printed('listening');
    return proxy;
  }

  route(sandbox: Sandbox, hosts: string): EgressRoute {
    return {
      socket: join(sandbox.inside.root, EGRESS_SOCKET),
      loopback: loopbackTargets(extraModelHosts({ LLMX_MODEL_HOSTS: hosts })),
    };
  }

  /** Runs the script as the agent; without a route there is no way out at all. */
  async runAgent(
    sandbox: Sandbox,
    script: string,
    {
      egress,
      env = {},
      files = {},
    }: {
      egress?: EgressRoute;
      /** For the agent alone. */
      env?: Readonly<Record<string, string>>;
      files?: Record<string, string>;
    } = {},
  ): Promise<AgentEnd> {
    const { host, inside } = sandbox;
    const put = async (name: string, text: string): Promise<void> => {
      await writeFile(join(host.inputs, name), text);
      await chmod(join(host.inputs, name), 0o644);
    };
    const spec = programSpec(sandbox, env, egress);
    await mkdir(host.checkout);
    await put('program.mjs', await readFile(this.programFile, 'utf8'));
    await put('agent.mjs', script);
    await put('spec.json', JSON.stringify(spec));
    for (const [name, text] of Object.entries(files)) await put(name, text);
    const end = await containerRuntime(engineOf(this.kind)).run(sandbox, {
      argv: [sandbox.node, `${inside.inputs}/program.mjs`, `${inside.inputs}/spec.json`],
      env: sandbox.env,
      timeoutMs: 120_000,
      killGraceMs: 500,
      signal: new AbortController().signal,
    });
    if (end.exit !== 0) throw new Error(JSON.stringify(end));
    const out = (name: string): Promise<string> => readFile(join(host.out, name), 'utf8');
    return {
      stdout: await out(PROGRAM_FILES.agentStdout),
      result: JSON.parse(await out(PROGRAM_FILES.result)) as ProgramResult,
    };
  }
}

function programSpec(
  { inside, env }: Sandbox,
  agentEnv: Readonly<Record<string, string>>,
  egress?: EgressRoute,
): ProgramSpec {
  const path = '/usr/bin:/bin';
  return {
    schemaVersion: 1,
    phases: ['agent'],
    branch: 'trial/t',
    checkoutDir: inside.checkout,
    gradeDir: inside.grade,
    outDir: inside.out,
    neutralize: [],
    dbPrepare: null,
    testCommand: 'true',
    testFile: 'x',
    implFiles: [],
    suiteRanPattern: 'x',
    suiteRanFlags: '',
    env: { ...env, PATH: path },
    agent: {
      argv: ['node', `${inside.inputs}/agent.mjs`],
      env: { ...env, PATH: path, ...agentEnv },
      stdinFile: null,
    },
    agentTimeoutMs: 60_000,
    testTimeoutMs: 60_000,
    killGraceMs: 500,
    ...(egress === undefined ? {} : { egress }),
  };
}
