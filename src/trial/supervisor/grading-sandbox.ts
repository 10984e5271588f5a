import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PROGRAM_FILES, type ProgramResult } from '../../domain/trial/program-contract.js';
import type { Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { crashPoint } from '../../support/test-switches.js';
import { isPlainFile } from '../../support/plain-file.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { readProgramProgress } from './progress.js';
import { readResult } from './read-outcome.js';
import { fillSandbox, runProgram, type ProgramPart } from './run-program.js';
import type { StageHost } from './stage-host.js';

const GRADING: ProgramPart = {
  phases: ['isolate', 'grade'],
  hasAgent: false,
  continues: true,
  egress: null,
  agentEnv: {},
  model: null,
  waitsBefore: 'grade',
};

/** All that goes from the agent's sandbox to the one for grading, and its name there. */
const HANDED_OVER = [
  [PROGRAM_FILES.diff, PROGRAM_FILES.diff],
  [PROGRAM_FILES.result, PROGRAM_FILES.earlier],
] as const;

const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 5;

/**
 * A fresh sandbox in which a result is graded. It is made before the agent starts, and then stands still until
 * the agent's work is handed over: nobody waits for it afterwards, and nothing of it works beside the agent.
 * It lies outside of what the agent can see.
 */
export class GradingSandbox {
  /** Resolves when it stands still, or will never be of use. */
  readonly ready: Promise<void>;
  private readonly made: Promise<Sandbox>;
  private readonly end: Promise<SandboxEnd>;
  private readonly givenUp = new AbortController();
  private goAhead: () => void = () => undefined;

  constructor(
    private readonly spec: SupervisorSpec,
    private readonly host: StageHost,
    number: number,
  ) {
    this.made = this.make(join(host.files.sandboxes, `grading-${number}`));
    this.end = this.run();
    this.end.catch(() => undefined); // thrown where it is waited for
    this.ready = this.waitUntilReady();
  }

  /**
   * Grades what the agent's sandbox holds.
   * @returns null when the sandbox ended without a result
   * @throws whatever kept the sandbox from being made
   */
  async grade(agent: Sandbox): Promise<ProgramResult | null> {
    const { host } = await this.made;
    await handOver(agent.host.out, host.out);
    crashPoint('supervisor:grading-made');
    this.goAhead();
    const end = await this.end;
    const graded = await readResult(join(host.out, PROGRAM_FILES.result), end);
    await bringBack(host.out, agent.host.out);
    crashPoint('supervisor:grading-done');
    if (graded === null) {
      console.error(`grading ended without a result: ${end.detail ?? `exit ${end.exit}`}`);
    }
    return graded;
  }

  /** Ends it without a grade. */
  async giveUp(): Promise<void> {
    this.givenUp.abort();
    await this.end.catch((error: unknown) => {
      if (!this.givenUp.signal.aborted) throw error;
    });
  }

  private async make(root: string): Promise<Sandbox> {
    const sandbox = await this.host.prepare('grade', root);
    const { out } = sandbox.host;
    await Promise.all([
      fillSandbox(this.spec, sandbox, GRADING),
      // There from the start, so that whoever runs inside may read what is written into them later.
      ...HANDED_OVER.map(([, name]) => writeFile(join(out, name), '')),
    ]);
    return sandbox;
  }

  private async run(): Promise<SandboxEnd> {
    const sandbox = await this.made;
    const { runtime, holdFd, signal } = this.host;
    return runProgram(this.spec, runtime, sandbox, {
      signal: AbortSignal.any([signal, this.givenUp.signal]),
      holdFd,
      goAhead: new Promise((resolve) => {
        this.goAhead = resolve;
      }),
    });
  }

  private async waitUntilReady(): Promise<void> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    this.end.then(over, over);
    const deadline = performance.now() + READY_WITHIN_MS;
    const sandbox = await this.made.catch(() => null);
    if (sandbox === null) return;
    while (!isOver && performance.now() < deadline) {
      const progress = await readProgramProgress(sandbox.host.out);
      if (progress?.waits === true) return;
      await delay(LOOK_EVERY_MS);
    }
  }
}

async function handOver(from: string, to: string): Promise<void> {
  for (const [name, given] of HANDED_OVER) {
    if (await isPlainFile(join(from, name))) await copyFile(join(from, name), join(to, given));
    else await rm(join(to, given), { force: true });
  }
}

/** What was written while grading goes beside the rest, in the place of whatever an agent left there. */
async function bringBack(from: string, to: string): Promise<void> {
  for (const name of [PROGRAM_FILES.after, PROGRAM_FILES.pristine, PROGRAM_FILES.result]) {
    if (!(await isPlainFile(join(from, name)))) continue;
    await rm(join(to, name), { recursive: true, force: true });
    await rename(join(from, name), join(to, name));
  }
}
