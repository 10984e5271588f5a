import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import {
  type AgentVerdict,
  type LaunchPlan,
  type SettingsFile,
  type TranscriptReading,
} from '../../agents/agent.js';
import type { ModelApi } from '../../agents/model-access.js';
import { adapterOf } from '../../agents/registry.js';
import { programDeadlineMs } from '../../domain/trial/deadlines.js';
import {
  type AgentLaunch,
  type EgressRoute,
  type ProgramResult,
  type ProgramSpec,
  type TrialPhase,
} from '../../domain/trial/program-contract.js';
import type { Runtime, Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { copyTemplate } from '../../apps/template/copy-template.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { relieveOverdue } from './overdue.js';

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
  /** What the agent gets besides the environment of everything inside: its way to log in. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly model: ModelApi | null;
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
        model: part.model,
        hasWeb: spec.sandbox.network === 'open',
        isContained: sandbox.container !== null,
        env: { ...env, ...part.agentEnv },
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
