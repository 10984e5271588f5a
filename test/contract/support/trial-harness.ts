import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleTrial } from '../../../scripts/bundle-trial.mjs';
import { baseEnv } from '../../../src/runtimes/base-env.js';
import { findMarked } from '../../../src/runtimes/marked-processes.js';
import { cellDir } from '../../../src/storage/results-tree.js';
import { stateLayout } from '../../../src/storage/state-layout.js';
import { readClaims } from '../../../src/trial/claims.js';
import { stateIdOf } from '../../../src/trial/ids.js';
import { readOwner } from '../../../src/trial/owner.js';
import { trialFiles } from '../../../src/trial/trial-files.js';
import type { PreparedTrial, TrialHost, TrialRequest } from '../../../src/trial/trial-request.js';
import type { ProcessIdentity } from '../../../src/support/process-identity.js';

export interface Script {
  readonly runMs?: number;
  readonly runAgent?: boolean;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly exit?: number;
}

export interface Programs {
  readonly supervisor: string;
  readonly caller: string;
}

/** The supervisor and a second caller as the programs they are, each bundled into one file. */
export async function bundlePrograms(): Promise<Programs> {
  const outdir = await mkdtemp(join(tmpdir(), 'llmx-bundle-'));
  const caller = join(outdir, 'caller.mjs');
  const [[supervisor = '']] = await Promise.all([
    bundleTrial(outdir, ['supervisor']),
    build({
      entryPoints: ['test/fixtures/trial/attach-caller.ts'],
      outfile: caller,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    }),
  ]);
  return { supervisor, caller };
}

/** An experiment and a state folder of their own; trials in it are real, only their program is small. */
export class TrialHarness {
  readonly host: TrialHost;
  private stamp = 0;

  private constructor(
    readonly root: string,
    private readonly programs: Programs,
  ) {
    const state = join(root, 'state');
    this.host = {
      layout: stateLayout(state),
      stateId: stateIdOf(state),
      supervisorFile: programs.supervisor,
      supervisorEnv: baseEnv(process.env),
      hostLock: `test-${basename(root)}`,
    };
  }

  /** @param parent a folder on the disk that is to be used */
  static async create(programs: Programs, parent = tmpdir()): Promise<TrialHarness> {
    const root = await mkdtemp(join(parent, 'llmx-trial-'));
    await mkdir(join(root, 'state', 'trials'), { recursive: true });
    await mkdir(join(root, 'template'));
    await mkdir(join(root, 'experiment'));
    await writeFile(join(root, 'template', 'app.txt'), 'code\n');
    await writeFile(join(root, 'experiment', 'prompt.txt'), 'please\n');
    return new TrialHarness(root, programs);
  }

  get ledgerFile(): string {
    return join(this.root, 'ledger.txt');
  }

  get experimentDir(): string {
    return join(this.root, 'experiment');
  }

  request(changes: Partial<TrialRequest> = {}, script: Script = {}): TrialRequest {
    const cell = changes.cell ?? { task: 't1', agent: 'nop', condition: 'plain', repeat: 1 };
    this.stamp += 1;
    return {
      experimentKey: 'demo-00000000',
      experimentDir: this.experimentDir,
      cell,
      requestId: `run/${this.stamp}`,
      stamp: `20260101T0000${String(this.stamp).padStart(2, '0')}Z`,
      redoDone: false,
      promptFile: join(this.experimentDir, 'prompt.txt'),
      runtime: 'process',
      facts: {
        task: cell.task,
        app: 'app',
        agent: cell.agent,
        agent_kind: 'nop',
        condition: cell.condition,
        model_requested: null,
        targets: [],
        prompt_sha256: null,
        runtime: 'process',
        pins: {},
        engine_version: '0.0.0',
        workflow_id: null,
        run_id: null,
        frozen_id: 'f',
      },
      prepare: () => Promise.resolve(this.prepared(script)),
      ...changes,
    };
  }

  prepared(script: Script, argv: readonly string[] | null = null): PreparedTrial {
    return {
      agent: { name: 'a', kind: argv === null ? 'nop' : 'command', model: null, argv },
      promptFile: join(this.experimentDir, 'prompt.txt'),
      solutionFile: null,
      templateDir: join(this.root, 'template'),
      programFile: resolve('test/fixtures/trial/stand-in-program.mjs'),
      program: {
        branch: 'trial/t1',
        neutralize: [],
        dbPrepare: null,
        testCommand: JSON.stringify({ ledger: this.ledgerFile, ...script }),
        testFile: 'test.js',
        implFiles: [],
        suiteRanPattern: 'ran',
        suiteRanFlags: 'm',
      },
      times: { agentTimeoutMs: 60_000, testTimeoutMs: 1_000, killGraceMs: 300 },
      sandbox: {
        runtime: 'process',
        image: null,
        memory: { text: '1g', bytes: 1e9 },
        cpus: '1',
        network: 'open',
      },
    };
  }

  /** `start|end <trialHash> <time> <pid>` of every program that ran. */
  async ledger(): Promise<readonly (readonly string[])[]> {
    const text = await readFile(this.ledgerFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '));
  }

  async starts(): Promise<number> {
    return (await this.ledger()).filter(([event]) => event === 'start').length;
  }

  /** attach-or-start in a process of its own, which dies at the given point if it gets there. */
  call(
    request: TrialRequest,
    script: Script,
    crashPoint = 'none',
  ): { pid: number; answer: Promise<unknown> } {
    const { prepare: _, ...plain } = request;
    const { layout: __, ...host } = this.host;
    const file = join(this.root, `request-${request.requestId.replaceAll('/', '-')}.json`);
    const input = {
      request: plain,
      prepared: this.prepared(script),
      host,
      stateRoot: this.host.layout.root,
    };
    const written = writeFile(file, JSON.stringify(input));
    const crashFile = join(this.root, `crash-${request.requestId.replaceAll('/', '-')}`);
    writeFileSync(crashFile, crashPoint);
    const child = spawn(
      'sh',
      [
        '-c',
        `while [ ! -s "$1" ]; do sleep 0.01; done; exec "$2" "$3" "$1"`,
        'sh',
        file,
        process.execPath,
        this.programs.caller,
      ],
      { env: { ...process.env, LLMX_TEST_CRASH_FILE: crashFile } },
    );
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.pipe(process.stderr);
    const answer = new Promise((done) => {
      child.once('close', () => {
        done(output === '' ? null : JSON.parse(output));
      });
    });
    return { pid: child.pid ?? 0, answer: written.then(() => answer) };
  }

  /** Working folder of the latest claim of a cell. */
  async trialDir(request: TrialRequest): Promise<string> {
    const claims = await readClaims(cellDir(this.experimentDir, request.cell));
    return this.host.layout.trialDir(claims.all.at(-1)?.claim.trialHash ?? 'none');
  }

  async supervisorOf(request: TrialRequest): Promise<ProcessIdentity> {
    return until('a supervisor', async () => {
      const owner = await readOwner(trialFiles(await this.trialDir(request)).owner);
      return owner === null || owner.fenced ? null : owner;
    });
  }

  async processesLeft(): Promise<number> {
    const { stateId } = this.host;
    return (await findMarked({ stateId, trialHash: null, root: this.host.layout.trialsDir }))
      .length;
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Waits for a condition, with a deadline. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = 10_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A process that has lived: nobody is alive under this identity. */
export const DEAD: ProcessIdentity = { pid: 1, startTime: 'never', bootId: 'another boot' };
