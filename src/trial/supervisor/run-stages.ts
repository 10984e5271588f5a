import { adapterOf } from '../../agents/registry.js';
import { TRIAL_PHASES, type ProgramResult } from '../../domain/trial/program-contract.js';
import type { Sandbox, SandboxEnd } from '../../runtimes/runtime.js';
import { crashPoint } from '../../support/test-switches.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import { openAccess } from './access.js';
import { openEgress } from './egress.js';
import { GradingSandbox } from './grading-sandbox.js';
import { fillSandbox, runProgram, type ProgramPart, type ProgramRun } from './run-program.js';
import { readOutcome } from './read-outcome.js';
import type { StageHost } from './stage-host.js';

const WHOLE: ProgramPart = {
  phases: TRIAL_PHASES,
  hasAgent: true,
  continues: false,
  egress: null,
  agentEnv: {},
  model: null,
  waitsBefore: null,
};
const UNGRADED: ProgramPart = {
  ...WHOLE,
  phases: TRIAL_PHASES.filter((phase) => phase !== 'grade'),
  waitsBefore: 'agent',
};

/** A grading sandbox that an engine lost says nothing about the agent, whose work is paid for. */
const GRADING_TRIES = 3;

/** Runs the agent's part of a trial, and grades it: in the same sandbox, or where the agent never was. */
export async function runStages(spec: SupervisorSpec, host: StageHost): Promise<ProgramRun> {
  if (!host.runtime.gradesApart) return (await runAgent(spec, host, WHOLE)).run;
  const first: { grading: GradingSandbox | null } = { grading: null };
  try {
    const { sandbox, run } = await runAgent(spec, host, UNGRADED, () => {
      first.grading = new GradingSandbox(spec, host, 1);
      return first.grading.ready;
    });
    if (!isGradable(run) || first.grading === null) return run;
    host.onGrading();
    return {
      ...run,
      result: await grade(spec, { ...host, first: first.grading }, sandbox, run.result),
    };
  } finally {
    await first.grading?.giveUp();
  }
}

/** `beforeAgent` starts once nothing but the trial is left on the host; the agent waits for it. */
async function runAgent(
  spec: SupervisorSpec,
  host: StageHost,
  part: ProgramPart,
  beforeAgent: () => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly sandbox: Sandbox; readonly run: ProgramRun }> {
  const { runtime } = host;
  const sandbox = await host.prepare('trial', host.files.sandbox);
  crashPoint('supervisor:sandbox-made');
  const access = await openAccess(host.credentials, spec, sandbox, host.files, process.env);
  let end: SandboxEnd;
  try {
    const egress = await openEgress(spec, sandbox, process.env, access.doors);
    try {
      const filled = fillSandbox(spec, sandbox, {
        ...part,
        egress: egress.route,
        agentEnv: access.env,
        model: access.model,
      });
      await Promise.all([filled, host.onPrepared(sandbox)]);
      crashPoint('supervisor:sandbox-filled');
      end = await runProgram(spec, runtime, sandbox, { ...host, goAhead: beforeAgent() });
      crashPoint('supervisor:agent-done');
    } finally {
      await egress.close();
    }
  } finally {
    await access.end();
  }
  const outcome = await readOutcome(adapterOf(spec.agent), sandbox, end, spec);
  return { sandbox, run: { end: withAgentOom(end, outcome.result), ...outcome } };
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
  host: StageHost & { readonly first: GradingSandbox },
  sandbox: Sandbox,
  result: ProgramResult,
): Promise<ProgramResult> {
  for (let attempt = 1; attempt <= GRADING_TRIES && !host.signal.aborted; attempt += 1) {
    try {
      const grading = attempt === 1 ? host.first : new GradingSandbox(spec, host, attempt);
      const graded = await grading.grade(sandbox);
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
