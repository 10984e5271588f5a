import { closeSync, openSync, writeSync } from 'node:fs';
import type { AgentRun } from '../../domain/trial/program-contract.js';
import { runInGroup } from '../process/run-in-group.js';
import { outFile, type Phase, type PhaseContext } from './state.js';

/** Runs the agent, with nothing but the agent inside the measured time. */
export const agent: Phase = async ({ spec }: PhaseContext) => {
  const stdoutFd = openEmpty(outFile(spec, 'agentStdout'));
  const stderrFd = openEmpty(outFile(spec, 'agentStderr'));
  const startedAt = new Date().toISOString();
  try {
    const { argv, env, stdinFile } = spec.agent;
    if (argv === null) return { found: { agent: nothingRan(startedAt) } };
    const end = await runInGroup({
      argv,
      env,
      cwd: spec.checkoutDir,
      stdinFile,
      stdoutFd,
      stderrFd,
      timeoutMs: spec.agentTimeoutMs,
      killGraceMs: spec.killGraceMs,
    });
    if (end.notStarted !== null) writeSync(stderrFd, `${end.notStarted}\n`);
    const run: AgentRun = {
      exit: end.exit,
      signal: end.signal,
      timedOut: end.timedOut,
      wallSeconds: end.seconds,
      startedAt,
      finishedAt: new Date().toISOString(),
    };
    return { found: { agent: run } };
  } finally {
    closeSync(stdoutFd);
    closeSync(stderrFd);
  }
};

function openEmpty(path: string): number {
  closeSync(openSync(path, 'w'));
  return openSync(path, 'a');
}

function nothingRan(at: string): AgentRun {
  return { exit: 0, signal: null, timedOut: false, wallSeconds: 0, startedAt: at, finishedAt: at };
}
