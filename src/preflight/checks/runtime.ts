import type { Check } from '../../domain/preflight/check.js';
import { isPaidKind } from '../../domain/experiment/experiment.js';
import { processRuntime } from '../../runtimes/process.js';
import type { CheckSubject } from '../context.js';
import { startWith } from '../start-with.js';

/** Whether trials can be started at all in the runtime the experiment asks for. */
export async function runtimeCheck(subject: CheckSubject | null): Promise<Check> {
  const base = { code: 'runtime', name: 'runtime' } as const;
  const wanted = subject?.experiment.runtime ?? null;
  if (wanted !== null && wanted !== 'process') {
    return {
      ...base,
      status: 'fail',
      detail: `${wanted} is not supported by this version of llmx`,
      hint: 'set runtime: process in experiment.yml',
    };
  }
  const probe = await processRuntime.probe();
  if (!probe.ok) {
    return { ...base, status: 'fail', detail: `process: ${probe.detail}`, hint: null };
  }
  return wanted === null && subject !== null
    ? {
        ...base,
        status: 'warn',
        detail: 'no runtime is set and no container engine is supported here; process is used',
        hint: 'set runtime: process in experiment.yml',
      }
    : { ...base, status: 'ok', detail: `process (${probe.detail})`, hint: null };
}

/** An agent that may run any command is only as contained as its sandbox. */
export function sandboxCheck(subject: CheckSubject): Check {
  const base = { code: 'sandbox', name: 'sandbox strength' } as const;
  const paid = subject.experiment.agents.filter((agent) => isPaidKind(agent.kind));
  const runs = new Set(subject.cells.map((cell) => cell.agent));
  const loose = paid.filter((agent) => runs.has(agent.name)).map((agent) => agent.name);
  return loose.length === 0
    ? { ...base, status: 'ok', detail: 'no agent runs with its permissions bypassed', hint: null }
    : {
        ...base,
        status: 'warn',
        detail: `${loose.join(', ')} may run any command as you on the process runtime`,
        hint:
          startWith(subject.experiment.agents.filter((agent) => !paid.includes(agent))) ??
          'llmx-client start-grid --approve-yellow',
      };
}
