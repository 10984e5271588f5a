import type { Check } from '../../domain/preflight/check.js';
import { isPaidKind } from '../../domain/experiment/experiment.js';
import { chooseRuntime, isContained, runtimeOf } from '../../runtimes/registry.js';
import type { CheckSubject } from '../context.js';
import { startWith } from '../start-with.js';

const ANY = { runtime: null, defaultRuntime: null };

/** Whether trials can be started at all in the runtime the experiment asks for. */
export async function runtimeCheck(subject: CheckSubject | null): Promise<Check> {
  const base = { code: 'runtime', name: 'runtime' } as const;
  const wanted = subject?.experiment.runtime ?? null;
  const kind = await chooseRuntime(subject?.experiment ?? ANY);
  const probe = await runtimeOf(kind).probe();
  if (!probe.ok) {
    return { ...base, status: 'fail', detail: `${kind}: ${probe.detail}`, hint: probe.hint };
  }
  return wanted === null && subject !== null && !isContained(kind)
    ? {
        ...base,
        status: 'warn',
        detail: 'no runtime is set and no container engine works here; process is used',
        hint: 'set runtime: process in experiment.yml',
      }
    : { ...base, status: 'ok', detail: `${kind} (${probe.detail})`, hint: null };
}

/** An agent that may run any command is only as contained as its sandbox. */
export async function sandboxCheck(subject: CheckSubject): Promise<Check> {
  const base = { code: 'sandbox', name: 'sandbox strength' } as const;
  const kind = await chooseRuntime(subject.experiment);
  if (isContained(kind)) {
    return { ...base, status: 'ok', detail: `a container of ${kind} without root`, hint: null };
  }
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
