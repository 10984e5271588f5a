import type { AppSpec } from '../../domain/experiment/experiment.js';
import type { Check } from '../../domain/preflight/check.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { resolveCommits } from '../../storage/app-commits.js';
import type { CheckSubject } from '../context.js';

/** One check per app: its checkout is there and has the branches of the tasks to run. */
export async function checkoutChecks(subject: CheckSubject): Promise<readonly Check[]> {
  const tasks = new Set(subject.cells.map((cell) => cell.task));
  const apps = subject.experiment.apps.filter((app) =>
    subject.experiment.tasks.some((task) => task.app === app.key && tasks.has(task.id)),
  );
  return Promise.all(apps.map((app) => checkoutCheck(app, tasks, subject)));
}

async function checkoutCheck(
  app: AppSpec,
  tasks: ReadonlySet<string>,
  subject: CheckSubject,
): Promise<Check> {
  const base = { code: `checkout-${app.key}`, name: `checkout ${app.key}` };
  const checkout = subject.checkouts[app.key] ?? null;
  const ids = subject.experiment.tasks
    .filter((task) => task.app === app.key && tasks.has(task.id))
    .map((task) => task.id);
  try {
    const commits = await resolveCommits(app, ids, checkout);
    const count = Object.keys(commits.tasks).length;
    return { ...base, status: 'ok', detail: `${count} task branch(es) found`, hint: null };
  } catch (error) {
    if (!(error instanceof LlmxError)) throw error;
    return { ...base, status: 'fail', detail: error.message, hint: error.hint };
  }
}
