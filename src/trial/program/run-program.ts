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
import type { Lifeline } from './lifeline.js';
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
export async function runProgram(spec: ProgramSpec, lifeline: Lifeline): Promise<void> {
  let context: PhaseContext = { spec, result: startingResult(spec), seal: null };
  for (const phase of spec.phases) {
    if (context.result.aborted !== null) break;
    if (phase === spec.waitsBefore) context = await afterWait(phase, context, lifeline);
    writeProgress(spec, phase);
    const startedMs = performance.now();
    const end = await runPhase(phase, context);
    context = merged(context, end, { [phase]: Math.round(performance.now() - startedMs) });
  }
  writeResult(spec, context.result);
}

/** What an earlier program found may have come meanwhile; what this one found itself counts more. */
async function afterWait(
  phase: TrialPhase,
  { spec, result, seal }: PhaseContext,
  { goAhead }: Lifeline,
): Promise<PhaseContext> {
  writeProgress(spec, phase, true);
  await goAhead();
  if (spec.continues !== true) return { spec, result, seal };
  const earlier = startingResult(spec);
  const { isolation, phaseMs } = result;
  return {
    spec,
    result: { ...earlier, isolation, phaseMs: { ...earlier.phaseMs, ...phaseMs } },
    seal,
  };
}

/** A program that begins in the middle goes on from what the one before it wrote. */
function startingResult(spec: ProgramSpec): ProgramResult {
  const isContinued = spec.continues === true;
  if (spec.phases[0] === 'isolate' && !isContinued) return EMPTY_RESULT;
  const file = outFile(spec, isContinued ? 'earlier' : 'result');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProgramResult;
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
