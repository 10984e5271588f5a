import { copyFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import {
  endedHow,
  type AgentAdapter,
  type AgentEnd,
  type AgentVerdict,
  type TranscriptReading,
} from '../../agents/agent.js';
import { adapterOf } from '../../agents/registry.js';
import { programDeadlineMs } from '../../domain/trial/deadlines.js';
import {
  PROGRAM_FILES,
  TRIAL_PHASES,
  type AgentLaunch,
  type ProgramResult,
  type ProgramSpec,
} from '../../domain/trial/program-contract.js';
import type { Runtime, Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { copyTemplate } from '../template/copy-template.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { readRecord } from '../trial-files.js';

const PROGRAM = 'program.mjs';
const PROGRAM_SPEC = 'program.json';

export interface ProgramRun {
  readonly end: SandboxEnd;
  readonly result: ProgramResult | null;
  /** Null when the agent was not started, or timed out. */
  readonly verdict: AgentVerdict | null;
  readonly reading: TranscriptReading | null;
}

/**
 * Fills the sandbox, runs the trial program in it to its end, and reads what it left.
 * @throws the signal's reason when it was stopped before the program started
 */
export async function runProgram(
  spec: SupervisorSpec,
  runtime: Runtime,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ProgramRun> {
  const adapter = adapterOf(spec.agent);
  await fill(spec, sandbox, adapter);
  signal.throwIfAborted();
  const inputs = sandbox.inside.inputs;
  const end = await runtime.run(sandbox, {
    argv: [sandbox.node, posix.join(inputs, PROGRAM), posix.join(inputs, PROGRAM_SPEC)],
    env: sandbox.env,
    timeoutMs: programDeadlineMs(spec.times),
    killGraceMs: spec.times.killGraceMs,
    signal,
  });
  return { end, ...(await readOutcome(sandbox, adapter)) };
}

async function fill(spec: SupervisorSpec, sandbox: Sandbox, adapter: AgentAdapter): Promise<void> {
  const { host, inside, env } = sandbox;
  const plan = adapter.launch({
    agent: spec.agent,
    experimentDir: spec.experimentDir,
    promptFile: spec.promptFile,
    solutionFile: spec.solutionFile,
    inputsDir: inside.inputs,
    env,
  });
  const program = JSON.stringify(programSpec(spec, sandbox, plan.launch));
  await Promise.all([
    // The program makes the checkout for grading from this one, once it is isolated.
    copyTemplate(spec.templateDir, host.checkout),
    copyFile(spec.programFile, join(host.inputs, PROGRAM)),
    writeFile(join(host.inputs, PROGRAM_SPEC), program, { mode: 0o600 }),
    ...plan.inputs.map(({ from, name }) => copyFile(from, join(host.inputs, name))),
  ]);
}

function programSpec(spec: SupervisorSpec, sandbox: Sandbox, agent: AgentLaunch): ProgramSpec {
  const { inside, env } = sandbox;
  return {
    schemaVersion: 1,
    phases: TRIAL_PHASES,
    ...spec.program,
    checkoutDir: inside.checkout,
    gradeDir: inside.grade,
    outDir: inside.out,
    env,
    agent,
    ...spec.times,
  };
}

async function readOutcome(
  sandbox: Sandbox,
  adapter: AgentAdapter,
): Promise<Omit<ProgramRun, 'end'>> {
  const file = (name: string): string => join(sandbox.host.out, name);
  const result = (await readRecord(file(PROGRAM_FILES.result))) as ProgramResult | null;
  const run = result?.agent ?? null;
  if (run === null) return { result, verdict: null, reading: null };
  const stdoutFile = file(PROGRAM_FILES.agentStdout);
  const stderrFile = file(PROGRAM_FILES.agentStderr);
  const verdict = run.timedOut ? null : await judge(adapter, { run, stdoutFile, stderrFile });
  const reading = (await adapter.readTranscript?.(stdoutFile)) ?? null;
  return { result, verdict, reading };
}

/** Nothing of llmx kills an agent that is within its time: what did says nothing about the agent. */
async function judge(adapter: AgentAdapter, end: AgentEnd): Promise<AgentVerdict> {
  return end.run.signal === 'SIGKILL'
    ? { status: 'void', reason: 'agent_killed', detail: endedHow(end.run) }
    : adapter.judge(end);
}
