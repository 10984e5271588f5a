import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NetworkMode, RuntimeKind } from '../../../src/domain/experiment/experiment.js';
import type {
  Runtime,
  Sandbox,
  SandboxCommand,
  SandboxEnd,
  SandboxStage,
} from '../../../src/runtimes/runtime.js';

export interface SandboxWish {
  readonly image?: string | null;
  readonly memory?: number;
  readonly network?: NetworkMode;
  readonly stage?: SandboxStage;
  readonly trialHash?: string;
}

/** One runtime on a bench: makes sandboxes, runs shell lines in them, and takes all of it away again. */
export class RuntimeBench {
  private count = 0;
  private readonly made: Sandbox[] = [];

  private constructor(
    readonly runtime: Runtime,
    readonly image: string | null,
    readonly dir: string,
    readonly stateId: string,
  ) {}

  static async open(runtime: Runtime, image: string | null): Promise<RuntimeBench> {
    const dir = await mkdtemp(join(tmpdir(), 'llmx-runtime-'));
    return new RuntimeBench(runtime, image, dir, dir.slice(-6).toLowerCase());
  }

  get kind(): RuntimeKind {
    return this.runtime.kind;
  }

  async sandbox(wish: SandboxWish = {}): Promise<Sandbox> {
    const number = ++this.count;
    const trialHash = wish.trialHash ?? `c${this.stateId}${number}`;
    const made = await this.runtime.prepare({
      marker: { trialHash, stateId: this.stateId },
      grid: 'llmx-grid-contract',
      root: join(this.dir, `sandbox-${number}`),
      image: wish.image === undefined ? this.image : wish.image,
      memory: { text: 'as told', bytes: wish.memory ?? 512 * 1024 * 1024 },
      cpus: '1',
      network: wish.network ?? 'none',
      stage: wish.stage ?? 'trial',
    });
    this.made.push(made);
    return made;
  }

  /** Runs a line of shell in a sandbox (a new one unless told) to its end. */
  async sh(
    script: string,
    { sandbox, ...changes }: Partial<SandboxCommand> & { readonly sandbox?: Sandbox } = {},
  ): Promise<{ readonly end: SandboxEnd; readonly sandbox: Sandbox }> {
    const used = sandbox ?? (await this.sandbox());
    const end = await this.runtime.run(used, {
      argv: ['sh', '-c', script],
      env: used.env,
      timeoutMs: 60_000,
      killGraceMs: 500,
      signal: new AbortController().signal,
      ...changes,
    });
    return { end, sandbox: used };
  }

  /** What a line of shell prints into a file of the sandbox. */
  async output(script: string, changes: Parameters<RuntimeBench['sh']>[1] = {}): Promise<string> {
    const { sandbox } = await this.sh(`{ ${script}\n} > out/said.txt 2>&1`, changes);
    return readFile(join(sandbox.host.out, 'said.txt'), 'utf8');
  }

  /** Ends and removes every sandbox that was made. */
  async clear(): Promise<void> {
    for (const { marker, host } of this.made.splice(0)) {
      await this.runtime.endLeftovers(marker, host.root);
      await this.runtime.destroy(marker, host.root);
    }
  }

  async close(): Promise<void> {
    await this.clear();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** Waits until something holds, for as long as a busy machine may need. */
export async function until(holds: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`still not so after ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process with this text in its command line runs on the machine. */
export async function runsOnHost(text: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'stat,args'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').some((line) => !/^\s*Z/.test(line) && line.includes(text));
}
