import type { TaskSpec } from '../domain/experiment/experiment.js';
import { suggest } from '../domain/experiment/suggest.js';
import type { GridFilters } from '../domain/plan/cell.js';
import type { PlanProblem } from '../domain/plan/plan-cells.js';
import { LlmxError } from '../errors/llmx-error.js';

/** The error a person reads when the filters leave no plan: what was asked for, what there is. */
export function planProblemError(problem: PlanProblem, tasks: readonly TaskSpec[]): LlmxError {
  if (problem.kind === 'unknown-agents') {
    const { unknown, declared } = problem;
    return new LlmxError('unknown_agent', {
      unknown: unknown.map(quoted).join(', '),
      declared: declared.join(', '),
      hint: hintFor('--agent', unknown[0] ?? null, declared) ?? 'llmx-client plan',
    });
  }
  const { app, task } = problem.filters;
  const apps = [...new Set(tasks.map((known) => known.app))];
  const ids = tasks.map((known) => known.id);
  return new LlmxError('filter_matches_nothing', {
    filters: filterText(problem.filters),
    hint: hintFor('--app', app, apps) ?? hintFor('--task', task, ids) ?? 'llmx-client plan',
  });
}

/** As typed: `--app shop --task total`. */
function filterText({ app, task }: GridFilters): string {
  const given = [
    ...(app === null ? [] : [`--app ${quoted(app)}`]),
    ...(task === null ? [] : [`--task ${quoted(task)}`]),
  ];
  return given.join(' ');
}

/** A name that a shell would take apart, or that holds control characters, is shown as JSON text. */
function quoted(name: string): string {
  return /^[\w.@%+:/-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Null when the value is right (the other filter must be wrong) or nothing is near. */
function hintFor(flag: string, typed: string | null, known: readonly string[]): string | null {
  if (typed === null || known.includes(typed)) return null;
  const meant = suggest(typed, known);
  return meant === null ? null : `did you mean ${meant}? llmx-client plan ${flag} ${meant}`;
}
