import { join } from 'node:path';
import {
  endedHow,
  type AgentAdapter,
  type AgentEnd,
  type AgentVerdict,
  type RunExpectations,
} from '../../agents/agent.js';
import { isPaidKind } from '../../domain/experiment/experiment.js';
import {
  PROGRAM_FILES,
  type AgentRun,
  type ProgramResult,
} from '../../domain/trial/program-contract.js';
import type { Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { isPlainFile } from '../../support/plain-file.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { readRecord } from '../trial-files.js';
import type { ProgramRun } from './run-program.js';

/** Reads what a program that ran the agent left. */
export async function readOutcome(
  adapter: AgentAdapter,
  sandbox: Sandbox,
  end: SandboxEnd,
  trial: Pick<SupervisorSpec, 'agent' | 'facts' | 'program'>,
): Promise<Omit<ProgramRun, 'end'>> {
  const file = (name: string): string => join(sandbox.host.out, name);
  const result = await readResult(file(PROGRAM_FILES.result), end);
  const run = result?.agent ?? null;
  if (run === null) return { result, verdict: null, reading: null };
  const stdoutFile = file(PROGRAM_FILES.agentStdout);
  const stderrFile = file(PROGRAM_FILES.agentStderr);
  const isAsked = wasCutOff(run) ? adapter.judgesTimeOuts === true : !wasEnded(run, end);
  const isReadable = await isPlainFile(stdoutFile);
  const expected = expectations(trial, sandbox);
  const judged = isAsked ? await judge(adapter, { run, stdoutFile, stderrFile }, expected) : null;
  const verdict = !isReadable && isPaidKind(adapter.kind) ? SPOILT : judged;
  const context = { targets: trial.program.implFiles, checkoutDir: sandbox.inside.checkout };
  const reading = (isReadable ? await adapter.readTranscript?.(stdoutFile, context) : null) ?? null;
  return { result, verdict, reading };
}

/** A transcript that is no file any more: a named pipe, say, would hold up whoever reads it. */
const SPOILT: AgentVerdict = {
  status: 'void',
  reason: 'unknown_error',
  detail: 'the agent has replaced its own output by something that is no file',
};

/** What the agent's transcript has to agree with. */
function expectations(
  { agent, facts }: Pick<SupervisorSpec, 'agent' | 'facts'>,
  { inside }: Sandbox,
): RunExpectations {
  return {
    modelRequested: agent.model,
    cliVersion: facts.pins[agent.kind] ?? null,
    homeDir: inside.home,
  };
}

/** Only a program that ended well has written its result; and what is out of reach is as good as missing. */
export async function readResult(
  file: string,
  { exit }: SandboxEnd,
): Promise<ProgramResult | null> {
  if (exit !== 0) return null;
  return (await readRecord(file).catch(() => null)) as ProgramResult | null;
}

/** Nothing of llmx kills an agent that is within its time: what did says nothing about the agent. */
async function judge(
  adapter: AgentAdapter,
  end: AgentEnd,
  expected: RunExpectations,
): Promise<AgentVerdict> {
  return end.run.signal === 'SIGKILL' && !wasCutOff(end.run)
    ? { status: 'void', reason: 'agent_killed', detail: endedHow(end.run) }
    : adapter.judge(end, expected);
}

/** At its deadline, or by a watchdog: its transcript may tell why it was not done. */
function wasCutOff({ timedOut, stalled }: AgentRun): boolean {
  return timedOut || stalled === true;
}

/** At a limit of the trial: that is a result, whatever the agent was about to say. */
function wasEnded(run: AgentRun, end: SandboxEnd): boolean {
  const outOfMemory = end.agentOom && run.signal === 'SIGKILL';
  return run.timedOut || run.outputLimited === true || outOfMemory;
}
