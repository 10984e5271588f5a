import { describe, expect, it } from '@jest/globals';
import type { AgentRun, ProgramResult } from '../../../src/domain/trial/program-contract.js';
import type { SandboxEnd } from '../../../src/runtimes/runtime.js';
import { classify, classifyError, type TrialEvidence } from '../../../src/trial/classify.js';

const END: SandboxEnd = {
  exit: 0,
  signal: null,
  timedOut: false,
  oom: false,
  agentOom: false,
  machineOom: false,
  leftoversKilled: 0,
  leftoversAlive: 0,
  proof: 'best-effort',
  detail: null,
};
const RESULT: ProgramResult = {
  schemaVersion: 1,
  aborted: null,
  abortDetail: null,
  isolation: null,
  dbPrepareExit: null,
  before: null,
  agent: null,
  changes: null,
  after: null,
  grade: 'passed',
};
const KILLED: AgentRun = {
  exit: null,
  signal: 'SIGKILL',
  timedOut: false,
  wallSeconds: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
};
const RUN = { stopped: null, end: END, result: RESULT, verdict: { status: 'valid' } } as const;
const VOID_VERDICT = { status: 'void', reason: 'agent_not_runnable', detail: 'exit 127' } as const;

type Row = readonly [string, Partial<TrialEvidence>, string];

const ROWS: readonly Row[] = [
  ['a passed grade', {}, 'valid passed'],
  ['a failed grade', { result: { ...RESULT, grade: 'failed' } }, 'valid failed'],
  ['a timed-out agent, which is not judged', { verdict: null }, 'valid passed'],
  ['tests that could not run afterwards', { result: { ...RESULT, grade: 'ungraded' } }, 'ungraded'],
  [
    'an image that is gone',
    { end: { ...END, exit: 125, imageGone: true }, result: null, verdict: null },
    'void image_gone',
  ],
  ['no grade at all', { result: { ...RESULT, grade: null } }, 'void unknown_error loud'],
  ['a verdict against the agent’s run', { verdict: VOID_VERDICT }, 'void agent_not_runnable'],
  [
    'a verdict that nobody can explain',
    { verdict: { status: 'void', reason: 'unknown_error', detail: 'API Error: 418' } },
    'void unknown_error loud',
  ],
  [
    'an abort of the program',
    { result: { ...RESULT, aborted: 'suite_did_not_run', grade: null } },
    'void suite_did_not_run',
  ],
  [
    'an abort before a verdict',
    { result: { ...RESULT, aborted: 'setup_failed' }, verdict: VOID_VERDICT },
    'void setup_failed',
  ],
  [
    'an abort because of a full disk',
    { result: { ...RESULT, aborted: 'setup_failed', abortDetail: 'ENOSPC: no space left' } },
    'void disk_full',
  ],
  [
    'a program that was killed, whatever result is there',
    { end: { ...END, exit: null, signal: 'SIGKILL' } },
    'void sandbox_failed',
  ],
  [
    'a program that failed, whatever result is there',
    { end: { ...END, exit: 1 } },
    'void sandbox_failed',
  ],
  ['no result', { result: null, verdict: null }, 'void sandbox_failed'],
  ['the outer deadline', { end: { ...END, timedOut: true } }, 'void sandbox_failed'],
  [
    'processes that could not be ended',
    { end: { ...END, leftoversAlive: 1 } },
    'void sandbox_failed',
  ],
  ['memory of the sandbox', { end: { ...END, oom: true }, result: null }, 'void out_of_memory'],
  ['memory of the tests, graded all the same', { end: { ...END, oom: true } }, 'valid passed'],
  [
    'memory of the tests, which then could not run',
    { end: { ...END, oom: true }, result: { ...RESULT, grade: 'ungraded' } },
    'void out_of_memory',
  ],
  [
    'an agent that the kernel killed at its own memory limit',
    { end: { ...END, agentOom: true }, result: { ...RESULT, agent: KILLED }, verdict: null },
    'valid passed',
  ],
  [
    'an agent that the kernel killed because the machine had no memory left',
    { end: { ...END, machineOom: true }, result: { ...RESULT, agent: KILLED } },
    'void out_of_memory',
  ],
  [
    'an agent that was killed at its deadline while the machine had no memory left',
    {
      end: { ...END, machineOom: true },
      result: { ...RESULT, agent: { ...KILLED, timedOut: true } },
    },
    'valid passed',
  ],
  [
    'a program that the kernel killed because the machine had no memory left',
    { end: { ...END, machineOom: true, exit: null, signal: 'SIGKILL' }, result: null },
    'void out_of_memory',
  ],
  ['a cancel, whatever came of the run', { stopped: 'cancelled' }, 'void cancelled'],
  ['an end that nobody asked for', { stopped: 'supervisor_died' }, 'void supervisor_died'],
  ['a sleep, whatever came of the run', { stopped: 'host_slept', result: null }, 'void host_slept'],
];

describe('the class of an attempt', () => {
  it.each(ROWS)('follows from %s', (_name, evidence, expected) => {
    const { status, reason, passed, loud } = classify({ ...RUN, ...evidence });
    const grade = passed === null ? null : passed ? 'passed' : 'failed';
    const shown = [status, reason, grade, loud ? 'loud' : null].filter((part) => part !== null);
    expect(shown.join(' ')).toBe(expected);
  });

  it('is a full disk when the supervisor meets one', () => {
    const error = Object.assign(new Error('write'), { code: 'ENOSPC' });
    expect(classifyError(error)).toMatchObject({ reason: 'disk_full', loud: false });
  });

  it('is loud for an error that llmx does not know, in one line', () => {
    const shown = classifyError(new Error('first line\n    at somewhere (file.js:1:1)'));
    expect(shown).toMatchObject({ reason: 'unknown_error', loud: true, detail: 'first line' });
  });
});
