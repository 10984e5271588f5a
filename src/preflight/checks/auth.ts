import { planCredentials, type CredentialPlan } from '../../agents/credential-plan.js';
import type { AgentSpec } from '../../domain/experiment/experiment.js';
import type { Check } from '../../domain/preflight/check.js';
import { listCredentials } from '../../storage/auth/auth-store.js';
import { authDir, isLoginAgent } from '../../storage/auth/login-agent.js';
import type { CheckContext } from '../context.js';

const BASE = { code: 'auth', name: 'auth store' } as const;

/** Whether the agents of this grid can log in; outside an experiment, what the store has. */
export async function authCheck({ env, subject }: CheckContext): Promise<Check> {
  if (subject === null) return storeCheck(env);
  const runs = new Set(subject.cells.map(({ agent }) => agent));
  const agents = subject.experiment.agents.filter(
    ({ name, kind }) => runs.has(name) && isLoginAgent(kind),
  );
  if (agents.length === 0) {
    return { ...BASE, status: 'ok', detail: 'no agent here logs in', hint: null };
  }
  const found: string[] = [];
  for (const agent of agents) {
    const plan = await planCredentials(agent, env, Date.now());
    if (plan.status === 'unusable') return unusable(agent, plan.reason);
    found.push(`${agent.name} ${inWords(plan)}`);
  }
  return { ...BASE, status: 'ok', detail: found.join(', '), hint: null };
}

function unusable({ name, kind }: AgentSpec, reason: string): Check {
  const hint = `llmx-client login ${kind}`;
  return { ...BASE, status: 'fail', detail: `${name} can not log in: ${reason}`, hint };
}

function inWords(plan: Exclude<CredentialPlan, { readonly status: 'unusable' }>): string {
  switch (plan.status) {
    case 'login':
      return 'with its login';
    case 'key':
      return `with the key of ${plan.key.source}`;
    case 'none':
      return 'without a login';
  }
}

async function storeCheck(env: CheckContext['env']): Promise<Check> {
  const all = await listCredentials(authDir(env));
  const fault = all.find((one) => one.fault !== null);
  if (fault?.fault != null) {
    const hint = `llmx-client login ${fault.agent}`;
    return { ...BASE, status: 'warn', detail: fault.fault, hint };
  }
  const agents = all.filter(({ facts }) => facts.length > 0).map(({ agent }) => agent);
  return agents.length > 0
    ? { ...BASE, status: 'ok', detail: `credentials for: ${agents.join(', ')}`, hint: null }
    : { ...BASE, status: 'warn', detail: 'it is empty', hint: 'llmx-client login claude' };
}
