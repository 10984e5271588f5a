import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterOf } from '../../agents/registry.js';
import {
  PROGRAM_FILES,
  TRIAL_PHASES,
  type ProgramResult,
} from '../../domain/trial/program-contract.js';
import type { Runtime, Sandbox, SandboxEnd, SandboxStage } from '../../runtimes/runtime.js';
import { crashPoint } from '../../support/test-switches.js';
import { isPlainFile } from '../plain-file.js';
import { openEgress } from './egress.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import {
  fillSandbox,
  readOutcome,
  readResult,
  runProgram,
  type ProgramPart,
  type ProgramRun,
} from './run-program.js';

const WHOLE: ProgramPart = {
  phases: TRIAL_PHASES,
  hasAgent: true,
  continues: false,
  egress: null,
};
const UNGRADED: ProgramPart = {
  ...WHOLE,
  phases: TRIAL_PHASES.filter((phase) => phase !== 'grade'),
};
const GRADING: ProgramPart = {
  ...WHOLE,
  phases: ['isolate', 'grade'],
  hasAgent: false,
  continues: true,
};

/** A grading sandbox that an engine lost says nothing about the agent, whose work is paid for. */
const GRADING_TRIES = 3;

export interface StageHost {
  readonly runtime: Runtime;
  /** Folder of the trial's sandbox. */
  readonly sandboxDir: string;
  /** Makes a sandbox of the trial, with its network. */
  readonly prepare: (stage: SandboxStage, root: string) => Promise<Sandbox>;
  /** Once the first sandbox is there and being filled. */
  readonly onPrepared: (sandbox: Sandbox) => Promise<void>;
  readonly onGrading: () => void;
  readonly signal: AbortSignal;
  readonly holdFd: number | null;
}

/** Runs the agent's part of a trial, and grades it: in the same sandbox, or where the agent never was. */
export async function runStages(spec: SupervisorSpec, host: StageHost): Promise<ProgramRun> {
  const { runtime } = host;
  const part = runtime.gradesApart ? UNGRADED : WHOLE;
  const sandbox = await host.prepare('trial', host.sandboxDir);
  crashPoint('supervisor:sandbox-made');
  const egress = await openEgress(spec, sandbox, process.env);
  let end: SandboxEnd;
  try {
    const filled = fillSandbox(spec, sandbox, { ...part, egress: egress.route });
    await Promise.all([filled, host.onPrepared(sandbox)]);
    crashPoint('supervisor:sandbox-filled');
    end = await runProgram(spec, runtime, sandbox, host);
    crashPoint('supervisor:agent-done');
  } finally {
    await egress.close();
  }
  const outcome = await readOutcome(sandbox, adapterOf(spec.agent), end);
  const run = { end: withAgentOom(end, outcome.result), ...outcome };
  if (!runtime.gradesApart || !isGradable(run)) return run;
  host.onGrading();
  return { ...run, result: await grade(spec, host, sandbox, run.result) };
}

/** In a container only the program knows whose the killed processes were. */
function withAgentOom(end: SandboxEnd, result: ProgramResult | null): SandboxEnd {
  const kills = result?.agentOomKills;
  return kills === undefined ? end : { ...end, agentOom: kills > 0 };
}

function isGradable(run: ProgramRun): run is ProgramRun & { readonly result: ProgramResult } {
  const { result, verdict } = run;
  return result?.aborted === null && result.changes !== null && verdict?.status !== 'void';
}

/** The result with its grade; `ungraded` when no sandbox for it came to an end. */
async function grade(
  spec: SupervisorSpec,
  host: StageHost,
  sandbox: Sandbox,
  result: ProgramResult,
): Promise<ProgramResult> {
  for (let attempt = 1; attempt <= GRADING_TRIES && !host.signal.aborted; attempt += 1) {
    try {
      const graded = await gradeOnce(spec, host, sandbox, `grading-${attempt}`);
      if (graded?.aborted === null) return graded;
      if (graded !== null) break;
    } catch (error) {
      // An engine that is down for a moment; one that stays down is not for this function to judge.
      if (attempt === GRADING_TRIES || host.signal.aborted) throw error;
      console.error(error);
    }
  }
  return { ...result, grade: 'ungraded' };
}

/** @returns null when the sandbox ended without a result */
async function gradeOnce(
  spec: SupervisorSpec,
  host: StageHost,
  sandbox: Sandbox,
  folder: string,
): Promise<ProgramResult | null> {
  const grading = await host.prepare('grade', join(host.sandboxDir, folder));
  await Promise.all([
    fillSandbox(spec, grading, GRADING),
    handOver(sandbox.host.out, grading.host.out),
  ]);
  crashPoint('supervisor:grading-made');
  const end = await runProgram(spec, host.runtime, grading, host);
  const graded = await readResult(join(grading.host.out, PROGRAM_FILES.result), end);
  await bringBack(grading.host.out, sandbox.host.out);
  crashPoint('supervisor:grading-done');
  if (graded === null) {
    console.error(`grading ended without a result: ${end.detail ?? `exit ${end.exit}`}`);
  }
  return graded;
}

/** All that goes from the agent's sandbox to the one for grading. */
async function handOver(from: string, to: string): Promise<void> {
  for (const name of [PROGRAM_FILES.diff, PROGRAM_FILES.result]) {
    if (await isPlainFile(join(from, name))) await copyFile(join(from, name), join(to, name));
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
