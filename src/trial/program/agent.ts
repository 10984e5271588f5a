import { closeSync, openSync, writeSync } from 'node:fs';
import { OUTPUT_LIMIT_BYTES } from '../../domain/trial/limits.js';
import type {
  AgentRun,
  Escapees,
  ProgramResult,
  ProgramSpec,
} from '../../domain/trial/program-contract.js';
import { runInGroup, trimOutput, type GroupEnd } from '../../runtimes/run-in-group.js';
import { endEscapees } from './end-escapees.js';
import { oomKillsHere, sacrificed } from './in-container.js';
import { diskLimit } from './disk-limit.js';
import { openFresh } from './fresh-file.js';
import { stallWatch } from './stall-watch.js';
import { outFile, type Phase, type PhaseContext, type PhaseEnd } from './state.js';
import { openTunnel, type Tunnel } from './tunnel.js';

/**
 * Runs the agent, with nothing but the agent inside the measured time. When the phase is over nothing of
 * it runs any more: what is collected and graded stands still.
 */
export const agent: Phase = async ({ spec }: PhaseContext) => {
  const { argv, env, stdinFile, stall } = spec.agent;
  const output = {
    stdoutFd: openEmpty(outFile(spec, 'agentStdout')),
    stderrFd: openEmpty(outFile(spec, 'agentStderr')),
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  };
  const startedAt = new Date().toISOString();
  let tunnel: Tunnel | null = null;
  try {
    if (argv === null) return { found: { agent: nothingRan(startedAt) } };
    const groups = spec.containment?.groups ?? null;
    const killsBefore = oomKillsBefore(spec);
    const isStalled = stall === undefined ? null : stallWatch(stall, output);
    if (spec.egress !== undefined) tunnel = await openTunnel(spec.egress);
    const end = await runInGroup({
      argv: sacrificed(spec, argv),
      env: { ...tunnel?.env, ...env },
      cwd: spec.checkoutDir,
      stdinFile,
      ...output,
      isOverLimit: diskLimit(spec),
      ...(isStalled === null ? {} : { isStalled: () => isStalled(performance.now()) }),
      timeoutMs: spec.agentTimeoutMs,
      killGraceMs: spec.killGraceMs,
      ...(groups === null ? {} : { groups: { inside: groups.agent, back: groups.program } }),
    });
    const run = runOf(end, startedAt);
    const escapees = await endEscapees(spec, end.isGrouped);
    if (end.notStarted !== null) writeSync(output.stderrFd, `${end.notStarted}\n`);
    trimOutput(output);
    return phaseEnd(run, escapees, killsBefore);
  } finally {
    await tunnel?.close();
    closeSync(output.stdoutFd);
    closeSync(output.stderrFd);
  }
};

/** Null on the host, where whoever started the program counts. */
function oomKillsBefore(spec: ProgramSpec): number | null {
  return spec.container === undefined ? null : oomKillsHere();
}

function phaseEnd(run: AgentRun, escapees: Escapees | null, killsBefore: number | null): PhaseEnd {
  if (escapees === null) return { found: { agent: run } };
  const kills = killsBefore === null ? {} : { agentOomKills: oomKillsHere() - killsBefore };
  const found: Partial<ProgramResult> = { agent: run, escapees, ...kills };
  if (escapees.alive === 0) return { found };
  const detail = `${escapees.alive} processes of the agent could not be ended`;
  return { found, abort: { reason: 'sandbox_failed', detail } };
}

function runOf(end: GroupEnd, startedAt: string): AgentRun {
  return {
    exit: end.exit,
    signal: end.signal,
    timedOut: end.timedOut,
    ...(end.outputLimited ? { outputLimited: true } : {}),
    ...(end.stalled ? { stalled: true } : {}),
    wallSeconds: end.seconds,
    startedAt,
    finishedAt: new Date().toISOString(),
  };
}

/** For more to be added, and its end to be read. */
function openEmpty(path: string): number {
  closeSync(openFresh(path));
  return openSync(path, 'a+');
}

function nothingRan(at: string): AgentRun {
  return { exit: 0, signal: null, timedOut: false, wallSeconds: 0, startedAt: at, finishedAt: at };
}
