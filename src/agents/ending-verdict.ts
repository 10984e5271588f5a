import { resumeAtMs, voided, type Ending, type VoidEnding } from '../domain/trial/ending/ending.js';
import { contaminationOf, type StartFacts } from '../domain/trial/hermeticity.js';
import { isModelAsked } from '../domain/trial/model-match.js';
import type { ResumeAdvice } from '../domain/trial/resume.js';
import type { AgentVerdict, RunExpectations } from './agent.js';

const MAX_DETAIL_CHARS = 500;

/** Where a run came from and who answered, as far as its CLI says. */
export interface RunFacts {
  readonly start: StartFacts | null;
  readonly modelsServed: readonly string[];
}

/** A result counts only when the run was the trial's own and the model the one that was asked for. */
export function checkedEnding(
  ending: Ending,
  { start, modelsServed }: RunFacts,
  expected: RunExpectations,
): Ending {
  if (ending.status === 'void') return ending;
  const foreign = start === null ? null : contaminationOf(start, expected);
  if (foreign !== null) return voided('contaminated', 'stop-arm', 'arm', foreign);
  const asked = expected.modelRequested ?? null;
  const other =
    asked === null ? undefined : modelsServed.find((model) => !isModelAsked(asked, model));
  if (other === undefined) return ending;
  return voided('model_differs', 'retry', 'trial', `${other} answered, ${asked} was asked`);
}

/** @param nowMs a time to resume at is not before it */
export function verdictOf(ending: Ending, nowMs: number): AgentVerdict {
  if (ending.status === 'valid') {
    const { outcome, flags } = ending;
    return { status: 'valid', outcome, flags };
  }
  const { reason } = ending;
  const resume = resumeOf(ending, nowMs);
  return { status: 'void', reason, detail: detailOf(ending), ...(resume && { resume }) };
}

function resumeOf(ending: VoidEnding, nowMs: number): ResumeAdvice | undefined {
  if (ending.resume === null || ending.scope === null) return undefined;
  const atMs = resumeAtMs(ending, nowMs);
  const at = atMs === null ? {} : { at: new Date(atMs).toISOString() };
  return { kind: ending.resume, scope: ending.scope, ...at };
}

/** One line for a reader. Some providers repeat the key they refuse. */
function detailOf({ text, reset }: VoidEnding): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_CHARS);
  const until = reset === null ? '' : ` (resets ${new Date(reset.atMs).toISOString()})`;
  return `${line.replace(/\b(sk|key|sess)-[\w*.-]{6,}/gi, '$1-***')}${until}`;
}
