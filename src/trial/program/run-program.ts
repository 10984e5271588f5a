import { readFileSync } from 'node:fs';
import type {
  ProgramResult,
  ProgramSpec,
  TrialPhase,
} from '../../domain/trial/program-contract.js';
import { agent } from './agent.js';
import { before } from './before.js';
import { collect } from './collect.js';
import { grade } from './grade.js';
import { isolate } from './isolate.js';
import { prepare } from './prepare.js';
import { EMPTY_RESULT, outFile, type Phase, type PhaseContext, type PhaseEnd } from './state.js';
import { writeProgress, writeResult } from './write.js';

const PHASES: Readonly<Record<TrialPhase, Phase>> = {
  isolate,
  prepare,
  before,
  agent,
  collect,
  grade,
};

/** Runs the phases of the spec in order and writes what they found, also when one of them aborts. */
export async function runProgram(spec: ProgramSpec): Promise<void> {
  let context: PhaseContext = { spec, result: startingResult(spec), seal: null };
  for (const phase of spec.phases) {
    if (context.result.aborted !== null) break;
    writeProgress(spec, phase);
    const startedMs = performance.now();
    const end = await runPhase(phase, context);
    context = merged(context, end, { [phase]: Math.round(performance.now() - startedMs) });
  }
  writeResult(spec, context.result);
}

/** A program that begins in the middle goes on from what the one before it wrote. */
function startingResult(spec: ProgramSpec): ProgramResult {
  if (spec.phases[0] === 'isolate' && spec.continues !== true) return EMPTY_RESULT;
  try {
    return JSON.parse(readFileSync(outFile(spec, 'result'), 'utf8')) as ProgramResult;
  } catch {
    return EMPTY_RESULT; // nothing was written before: the phase itself says what it misses
  }
}

async function runPhase(phase: TrialPhase, context: PhaseContext): Promise<PhaseEnd> {
  try {
    return await PHASES[phase](context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      found: {},
      abort: {
        reason: phase === 'isolate' ? 'isolation_failed' : 'sandbox_failed',
        detail: `${phase}: ${reason}`,
      },
    };
  }
}

function merged(
  context: PhaseContext,
  end: PhaseEnd,
  phaseMs: ProgramResult['phaseMs'] & object,
): PhaseContext {
  return {
    ...context,
    seal: end.seal ?? context.seal,
    result: {
      ...context.result,
      ...end.found,
      aborted: end.abort?.reason ?? null,
      abortDetail: end.abort?.detail ?? null,
      phaseMs: { ...context.result.phaseMs, ...phaseMs },
    },
  };
}
