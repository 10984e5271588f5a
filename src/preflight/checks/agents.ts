import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isPaidKind, type AgentSpec, type PaidKind } from '../../domain/experiment/experiment.js';
import type { Check } from '../../domain/preflight/check.js';
import type { Environment } from '../../support/paths.js';
import { installedVersion, pinProblem } from '../../agents/cli-version.js';
import { cliPackage } from '../../apps/image/base-recipe.js';
import { chooseRuntime, isContained } from '../../runtimes/registry.js';
import { isProgram, whichProgram } from '../../support/which-program.js';
import type { CheckSubject } from '../context.js';

/** Every agent of this grid can be started, and the oracle has what it applies. */
export async function agentsCheck(subject: CheckSubject, env: Environment): Promise<Check> {
  const base = { code: 'agents', name: 'agents' } as const;
  const runs = new Set(subject.cells.map((cell) => cell.agent));
  const agents = subject.experiment.agents.filter((agent) => runs.has(agent.name));
  for (const agent of agents) {
    const problem = await agentProblem(agent, subject, env);
    if (problem !== null) return { ...base, status: 'fail', ...problem };
  }
  const names = agents.map((agent) => agent.name).join(', ');
  return { ...base, status: 'ok', detail: names === '' ? 'none to run' : names, hint: null };
}

type Problem = Pick<Check, 'detail' | 'hint'>;

async function agentProblem(
  agent: AgentSpec,
  subject: CheckSubject,
  env: Environment,
): Promise<Problem | null> {
  if (isPaidKind(agent.kind)) {
    return cliProblem({ name: agent.name, kind: agent.kind }, subject, env);
  }
  if (agent.kind === 'oracle') return missingSolution(agent.name, subject);
  const program = agent.argv?.[0];
  if (program === undefined) return null;
  if (!program.includes('/')) {
    return (await whichProgram(program, env)) === null
      ? { detail: `${agent.name}: ${program} is not on PATH`, hint: `install ${program}` }
      : null;
  }
  return (await isProgram(resolve(subject.folder, program)))
    ? null
    : {
        // Missing and not executable are mended in the same place.
        detail: `${agent.name}: ${program} is missing or not executable`,
        hint: `chmod +x ${program}`,
      };
}

/** On this machine. What an image has is fixed when it is built, and held to the pins there. */
async function cliProblem(
  { name, kind }: { readonly name: string; readonly kind: PaidKind },
  { experiment }: CheckSubject,
  env: Environment,
): Promise<Problem | null> {
  if (isContained(await chooseRuntime(experiment))) return null;
  const install = `npm install --global ${cliPackage(kind, experiment.pins)}`;
  if ((await whichProgram(kind, env)) === null) {
    return { detail: `${name}: ${kind} is not on PATH`, hint: install };
  }
  const version = await installedVersion(kind, env);
  if (version === null) {
    return { detail: `${name}: ${kind} --version gives no version`, hint: install };
  }
  const problem = pinProblem(kind, experiment.pins, { [kind]: version });
  return problem === null ? null : { detail: `${name}: ${problem}`, hint: install };
}

async function missingSolution(agent: string, subject: CheckSubject): Promise<Problem | null> {
  const tasks = new Set(
    subject.cells.filter((cell) => cell.agent === agent).map((cell) => cell.task),
  );
  for (const task of tasks) {
    const file = subject.solutionFile(task);
    const there =
      file !== null &&
      (await access(file).then(
        () => true,
        () => false,
      ));
    if (!there) {
      const name = subject.experiment.tasks.find((candidate) => candidate.id === task)?.solution;
      return {
        detail: `${agent}: task ${task} has no solution file ${name ?? ''}`.trimEnd(),
        hint: `write ${name ?? 'a solution'} with: git diff > ${name ?? 'solution.patch'}`,
      };
    }
  }
  return null;
}
