import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pollUntil } from '../../../src/support/poll.js';
import { runCli, type CliRun } from '../../fixtures/built-cli.js';
import { BUGGY, FIX, addScript, makeApp } from '../../fixtures/trial/trial-lab.js';

const AGENT = resolve(import.meta.dirname, '..', '..', 'fixtures', 'faults', 'agent.mjs');

export interface AgentScript {
  readonly runMs?: number;
  /** File that grows until its disk is full. */
  readonly fill?: string;
  /** Written in the checkout before that. */
  readonly insideMb?: number;
}

export interface FaultLabOptions {
  /** Experiment name, for labs that share a state folder. @defaultValue faults */
  readonly name?: string;
  /** @defaultValue a new folder below the system's temporary folder */
  readonly dir?: string;
  readonly stateDir?: string;
  readonly minFreeGb?: number;
  readonly conditions?: readonly string[];
  /** A second agent, `fix`, that applies the task's solution. */
  readonly oracle?: boolean;
}

/** Attempts as their records say, with the folder they lie in. */
export interface AttemptRecord {
  readonly dir: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** When an agent ran, as it wrote itself; monotonic nanoseconds of this machine. */
export interface AgentRun {
  readonly trial: string;
  readonly startNs: bigint;
  /** Null when it did not come to its end. */
  readonly endNs: bigint | null;
}

/**
 * A small experiment with two tasks and an agent that keeps a ledger. The ledger lies outside of the
 * experiment and the state folder, whose disks may be full or read-only.
 */
export class FaultLab {
  private constructor(
    readonly root: string,
    readonly dir: string,
    readonly stateDir: string,
    private readonly agentDir: string,
  ) {}

  static async make(options: FaultLabOptions = {}): Promise<FaultLab> {
    const root = await mkdtemp(join(tmpdir(), 'llmx-faults-'));
    const dir = options.dir ?? join(root, 'experiment');
    const lab = new FaultLab(
      root,
      dir,
      options.stateDir ?? join(root, 'state'),
      join(root, 'agent'),
    );
    await mkdir(lab.agentDir);
    await mkdir(dir, { recursive: true });
    makeApp(join(root, 'app'));
    await copyFile(AGENT, join(dir, 'agent.mjs'));
    await chmod(join(dir, 'agent.mjs'), 0o755);
    await writeFile(join(dir, 'experiment.yml'), lab.experimentText(options));
    await writeFile(join(dir, '.apps.local'), `LLMX_APP_APP=${join(root, 'app')}\n`);
    for (const task of ['t1', 't2']) {
      const prompts = join(dir, 'prompts', 'app', task);
      await mkdir(prompts, { recursive: true });
      for (const condition of options.conditions ?? ['plain']) {
        await writeFile(join(prompts, `${condition}.txt`), `repair ${task}\n`);
      }
    }
    await mkdir(join(dir, 'solutions'));
    for (const task of ['t1', 't2']) {
      await writeFile(join(dir, 'solutions', `${task}.patch`), solutionText(task));
    }
    await lab.script({});
    return lab;
  }

  /** The same experiment with a state folder, and so a server and a worker, of its own. */
  withState(name: string): FaultLab {
    return new FaultLab(this.root, this.dir, join(this.root, name), this.agentDir);
  }

  private experimentText(options: FaultLabOptions): string {
    return `name: ${options.name ?? 'faults'}
question: Does it survive?
runtime: process
agents:
  mine: { kind: command, argv: [./agent.mjs, ${this.agentDir}] }
${options.oracle === true ? '  fix: { kind: oracle }\n' : ''}conditions: [${(options.conditions ?? ['plain']).join(', ')}]
trial: { timeout_seconds: 60, memory: 512m, cpus: 1 }
preflight: { min_free_gb: ${options.minFreeGb ?? 0.01} }
apps:
  app:
    toolchain: none
    branch_prefix: exp
    test_command: bash
tasks:
${['t1', 't2'].map((task) => taskText(task)).join('\n')}
`;
  }

  /** What agents do from now on. */
  async script(script: AgentScript): Promise<void> {
    await writeFile(join(this.agentDir, 'script.json'), JSON.stringify(script));
  }

  /** Whether agents go on for as long as this is not taken back. */
  async hold(holds: boolean): Promise<void> {
    const file = join(this.agentDir, 'hold');
    if (holds) await writeFile(file, '');
    else await rm(file, { force: true });
  }

  cli(...argv: readonly string[]): Promise<CliRun> {
    return runCli(argv, { cwd: this.dir, env: { LLMX_STATE_DIR: this.stateDir } });
  }

  async status(): Promise<GridStatus> {
    return (await this.cli('status', '--json')).json<GridStatus>();
  }

  /** Waits for a status. Asking costs a process, so not all the time. */
  async statusWith(phase: string): Promise<GridStatus> {
    const ask = async (): Promise<GridStatus | null> => {
      const status = await this.status();
      return status.phase === phase ? status : null;
    };
    const status = await pollUntil(ask, { timeoutMs: 90_000, intervalMs: 500 });
    if (status === null) throw new Error(`the grid was not ${phase} within 90 s`);
    return status;
  }

  /** Waits until so many results count. */
  async resultsOnDisk(count: number): Promise<void> {
    const ask = async (): Promise<true | null> => {
      const counted = (await this.attempts()).filter(({ meta }) => meta['status'] === 'valid');
      return counted.length >= count ? true : null;
    };
    if ((await pollUntil(ask, { timeoutMs: 90_000 })) === null) {
      throw new Error(`there were no ${count} results within 90 s`);
    }
  }

  /** Waits until so many agents have started. */
  async agentStarts(count: number): Promise<void> {
    const ask = async (): Promise<true | null> =>
      (await this.runs()).length >= count ? true : null;
    if ((await pollUntil(ask, { timeoutMs: 90_000 })) === null) {
      throw new Error(`no ${count} agents had started within 90 s`);
    }
  }

  async runs(): Promise<readonly AgentRun[]> {
    const text = await readFile(join(this.agentDir, 'ledger.txt'), 'utf8').catch(() => '');
    const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
    const ends = lines.filter(([event]) => event === 'end');
    return lines.flatMap(([event, trial = '', ns = '0']) => {
      if (event !== 'start') return [];
      const end = ends.find(([, ended]) => ended === trial)?.[2];
      return [{ trial, startNs: BigInt(ns), endNs: end === undefined ? null : BigInt(end) }];
    });
  }

  /** Closed attempts by the order of their stamps; a meta.json that is no JSON is an error. */
  async attempts(): Promise<readonly AttemptRecord[]> {
    const tree = join(this.dir, 'results-raw');
    const names = await readdir(tree, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.endsWith('/meta.json'));
    const records = files.map(async (file) => ({
      dir: join(tree, file, '..'),
      meta: JSON.parse(await readFile(join(tree, file), 'utf8')) as AttemptRecord['meta'],
    }));
    const stampOf = ({ meta }: AttemptRecord): string => String(meta['stamp']);
    return (await Promise.all(records)).sort((a, b) => stampOf(a).localeCompare(stampOf(b)));
  }

  /** Ends worker and server. */
  async stop(): Promise<void> {
    await this.cli('worker', 'stop');
    await this.cli('server', 'stop');
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export interface GridStatus {
  readonly workflowId: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly total: number;
  readonly done: number;
  readonly pending: number;
  readonly void: number;
}

function taskText(task: string): string {
  const files = 'test_file: test/add.test.sh, impl_files: [src/add.sh]';
  return `  - { id: ${task}, app: app, ${files}, solution: solutions/${task}.patch }`;
}

function solutionText(task: string): string {
  const lines = [`# ${task}`, `-${addScript(BUGGY).trim()}`, `+${addScript(FIX).trim()}`];
  return `--- a/src/add.sh\n+++ b/src/add.sh\n@@ -1,2 +1,2 @@\n ${lines.join('\n')}\n`;
}
