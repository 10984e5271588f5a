import type { Check } from '../domain/preflight/check.js';
import { agentsCheck } from './checks/agents.js';
import { appleChecks } from './checks/apple.js';
import { authCheck } from './checks/auth.js';
import { checkoutChecks } from './checks/checkouts.js';
import { diskCheck } from './checks/disk.js';
import { gitCheck } from './checks/git.js';
import { imageChecks } from './checks/images.js';
import { networkCheck } from './checks/network.js';
import { promptsCheck } from './checks/prompts.js';
import { resultsCheck } from './checks/results.js';
import { runtimeCheck, sandboxCheck } from './checks/runtime.js';
import { chooseRuntime } from '../runtimes/registry.js';
import type { CheckContext } from './context.js';

/**
 * Every check that looks at this host and this experiment, in the order they are shown. Whether Temporal
 * and the worker are there is added by the caller, who knows how it got here.
 */
export async function runChecks(given: CheckContext): Promise<readonly Check[]> {
  const context = await withRuntime(given);
  const { subject } = context;
  const host = [gitCheck(), runtimeCheck(subject), diskCheck(context), authCheck(context)];
  if (subject === null) return Promise.all(host);
  const own = await Promise.all([
    agentsCheck(subject, context.env),
    checkoutChecks(subject),
    promptsCheck(subject),
    resultsCheck(subject),
    appleChecks(subject),
    imageChecks(subject, context.env),
    networkCheck(subject, context.env),
  ]);
  const [agents, checkouts, prompts, results, apple, images, network] = own;
  const rest = [await sandboxCheck(subject), network, ...images, agents, ...checkouts, prompts];
  return [...(await Promise.all(host)), results, ...apple, ...rest];
}

/** Chosen once for all checks: where nobody did, every engine of this machine is tried for it. */
async function withRuntime(context: CheckContext): Promise<CheckContext> {
  const { subject } = context;
  if (subject === null) return context;
  const { experiment } = subject;
  const defaultRuntime = await chooseRuntime(experiment);
  return { ...context, subject: { ...subject, experiment: { ...experiment, defaultRuntime } } };
}
