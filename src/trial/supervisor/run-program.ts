import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import {
  endedHow,
  type AgentAdapter,
  type AgentEnd,
  type AgentVerdict,
  type LaunchPlan,
  type SettingsFile,
  type TranscriptReading,
} from '../../agents/agent.js';
import { modelAccess } from '../../agents/model-access.js';
import { adapterOf } from '../../agents/registry.js';
import { isPaidKind } from '../../domain/experiment/experiment.js';
import { programDeadlineMs } from '../../domain/trial/deadlines.js';
import {
  PROGRAM_FILES,
  type AgentLaunch,
  type AgentRun,
  type EgressRoute,
  type ProgramResult,
  type ProgramSpec,
  type TrialPhase,
} from '../../domain/trial/program-contract.js';
import type { Runtime, Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { copyTemplate } from '../../apps/template/copy-template.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { isPlainFile } from '../plain-file.js';
import { relieveOverdue } from './overdue.js';
import { readRecord } from '../trial-files.js';

const PROGRAM = 'program.mjs';
const PROGRAM_SPEC = 'program.json';

export interface ProgramRun {
  readonly end: SandboxEnd;
  readonly result: ProgramResult | null;
  /** Null when the agent was not started, or ended at a limit of the trial. */
  readonly verdict: AgentVerdict | null;
  readonly reading: TranscriptReading | null;
}

/** What of the trial a program does, and where it looks for the checkouts. */
export interface ProgramPart {
  readonly phases: readonly TrialPhase[];
  /** The agent is started here; else nothing of it is needed. */
  readonly hasAgent: boolean;
  /** The result is graded in the only checkout, on top of what an earlier program found. */
  readonly continues: boolean;
  /** The agent's way to its model, or null. */
  readonly egress: EgressRoute | null;
  /** The phase before which the program waits to be told to go on, or null. */
  readonly waitsBefore: TrialPhase | null;
}

export interface ProgramHost {
  readonly signal: AbortSignal;
  readonly holdFd: number | null;
  /** Lets a program that waits go on. */
  readonly goAhead?: Promise<void>;
}

/**
 * Runs the trial program in a filled sandbox to its end.
 * @throws the signal's reason when it was stopped before the program started
 */
export async function runProgram(
  spec: SupervisorSpec,
  runtime: Runtime,
  sandbox: Sandbox,
  { signal, holdFd, goAhead }: ProgramHost,
): Promise<SandboxEnd> {
  signal.throwIfAborted();
  const inputs = sandbox.inside.inputs;
  const relief = relieveOverdue(runtime, sandbox, spec.times);
  try {
    return await runtime.run(sandbox, {
      argv: [sandbox.node, posix.join(inputs, PROGRAM), posix.join(inputs, PROGRAM_SPEC)],
      env: sandbox.env,
      timeoutMs: programDeadlineMs(spec.times),
      killGraceMs: spec.times.killGraceMs,
      signal,
      holdFd,
      goAhead,
    });
  } finally {
    relief.stop();
  }
}

/** Puts the checkout, the trial program and what the agent needs into the sandbox. */
export async function fillSandbox(
  spec: SupervisorSpec,
  sandbox: Sandbox,
  part: ProgramPart,
): Promise<void> {
  const { host, inside, env } = sandbox;
  const plan = part.hasAgent
    ? adapterOf(spec.agent).launch({
        agent: spec.agent,
        experimentDir: spec.experimentDir,
        promptFile: spec.promptFile,
        solutionFile: spec.solutionFile,
        inputsDir: inside.inputs,
        checkoutDir: inside.checkout,
        model: modelAccess(process.env),
        hasWeb: spec.sandbox.network === 'open',
        isContained: sandbox.container !== null,
        env,
      })
    : NO_AGENT;
  const program = JSON.stringify(programSpec(spec, sandbox, part, plan.launch));
  await Promise.all([
    // A container copies the app from its image; the checkout for grading is made from the first one.
    sandbox.container === null ? copyTemplate(templateOf(spec), host.checkout) : null,
    copyFile(spec.programFile, join(host.inputs, PROGRAM)),
    writeFile(join(host.inputs, PROGRAM_SPEC), program, { mode: 0o600 }),
    ...plan.inputs.map(({ from, name }) => copyFile(from, join(host.inputs, name))),
    ...(plan.settings ?? []).map((file) => writeSettings(host.home, file)),
  ]);
}

async function writeSettings(home: string, { path, text }: SettingsFile): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
}

const NO_AGENT: LaunchPlan = { launch: { argv: null, env: {}, stdinFile: null }, inputs: [] };

function templateOf({ templateDir }: SupervisorSpec): string {
  if (templateDir === null) throw new Error('a sandbox on the host needs a template');
  return templateDir;
}

function programSpec(
  spec: SupervisorSpec,
  sandbox: Sandbox,
  { phases, continues, egress, waitsBefore }: ProgramPart,
  agent: AgentLaunch,
): ProgramSpec {
  const { inside, env, container } = sandbox;
  return {
    schemaVersion: 1,
    phases,
    ...spec.program,
    checkoutDir: continues ? inside.grade : inside.checkout,
    gradeDir: inside.grade,
    outDir: inside.out,
    env,
    agent,
    ...spec.times,
    ...(container === null
      ? { containment: { ...sandbox.marker, root: inside.root, groups: sandbox.groups } }
      : { container: { appDir: container.appDir } }),
    continues,
    ...(egress === null ? {} : { egress }),
    ...(waitsBefore === null ? {} : { waitsBefore }),
    endWithStdin: true,
  };
}

/** Reads what a program that ran the agent left. */
export async function readOutcome(
  sandbox: Sandbox,
  adapter: AgentAdapter,
  end: SandboxEnd,
): Promise<Omit<ProgramRun, 'end'>> {
  const file = (name: string): string => join(sandbox.host.out, name);
  const result = await readResult(file(PROGRAM_FILES.result), end);
  const run = result?.agent ?? null;
  if (run === null) return { result, verdict: null, reading: null };
  const stdoutFile = file(PROGRAM_FILES.agentStdout);
  const stderrFile = file(PROGRAM_FILES.agentStderr);
  const isReadable = await isPlainFile(stdoutFile);
  const agentEnd = { run, stdoutFile, stderrFile };
  const isSpoilt = !isReadable && isPaidKind(adapter.kind);
  const verdict = isSpoilt ? SPOILT : await verdictOn(adapter, agentEnd, end);
  const reading = (isReadable ? await adapter.readTranscript?.(stdoutFile) : null) ?? null;
  return { result, verdict, reading };
}

/** A transcript that is no file any more: a named pipe, say, would hold up whoever reads it. */
const SPOILT: AgentVerdict = {
  status: 'void',
  reason: 'unknown_error',
  detail: 'the agent has replaced its own output by something that is no file',
};

/** Only a program that ended well has written its result; and what is out of reach is as good as missing. */
export async function readResult(
  file: string,
  { exit }: SandboxEnd,
): Promise<ProgramResult | null> {
  if (exit !== 0) return null;
  return (await readRecord(file).catch(() => null)) as ProgramResult | null;
}

async function verdictOn(
  adapter: AgentAdapter,
  agentEnd: AgentEnd,
  end: SandboxEnd,
): Promise<AgentVerdict | null> {
  if (!wasEnded(agentEnd.run, end)) return judge(adapter, agentEnd);
  return (await adapter.judgeLimit?.(agentEnd)) ?? null;
}

/** Nothing of llmx kills an agent that is within its time: what did says nothing about the agent. */
async function judge(adapter: AgentAdapter, end: AgentEnd): Promise<AgentVerdict> {
  return end.run.signal === 'SIGKILL' && end.run.stalled !== true
    ? { status: 'void', reason: 'agent_killed', detail: endedHow(end.run) }
    : adapter.judge(end);
}

/** At a limit of the trial: that is a result, whatever the agent was about to say. */
function wasEnded(run: AgentRun, end: SandboxEnd): boolean {
  const outOfMemory = end.agentOom && run.signal === 'SIGKILL';
  return run.timedOut || run.outputLimited === true || outOfMemory;
}
