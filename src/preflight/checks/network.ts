import { planCredentials } from '../../agents/credential-plan.js';
import { modelHostsOf } from '../../agents/model-hosts.js';
import {
  isPaidKind,
  type AgentSpec,
  type RuntimeKind,
} from '../../domain/experiment/experiment.js';
import type { ModelHost } from '../../domain/network/model-host.js';
import type { Check } from '../../domain/preflight/check.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { authorityOf } from '../../network/authority.js';
import { extraModelHosts, MODEL_HOSTS_VARIABLE } from '../../network/model-hosts-variable.js';
import { parentProxy } from '../../network/parent-proxy.js';
import { chooseRuntime } from '../../runtimes/registry.js';
import type { CheckContext, CheckSubject } from '../context.js';

type Outcome = Pick<Check, 'status' | 'detail' | 'hint'>;

/** Whether a trial reaches what it may and nothing else. Only a container can be kept from the network. */
export async function networkCheck(
  subject: CheckSubject,
  env: CheckContext['env'],
): Promise<Check> {
  const runtime = await chooseRuntime(subject.experiment);
  return { code: 'network', name: 'network', ...(await outcome(subject, runtime, env)) };
}

async function outcome(
  subject: CheckSubject,
  runtime: RuntimeKind,
  env: CheckContext['env'],
): Promise<Outcome> {
  const { network } = subject.experiment;
  const runs = new Set(subject.cells.map(({ agent }) => agent));
  const agents = subject.experiment.agents.filter(({ name }) => runs.has(name));
  if (network === 'open') return ok('open: trials reach whatever this machine reaches');
  if (runtime === 'process') return onProcess(network, agents);
  if (network === 'none') return withoutNetwork(agents);
  return modelOnly(agents, env);
}

/** A plain process has the network of this machine. */
function onProcess(network: string, agents: readonly AgentSpec[]): Outcome {
  const doubtful = agents.filter(({ kind }) => isPaidKind(kind)).map(({ name }) => name);
  if (network !== 'none' && doubtful.length === 0) {
    return ok('not limited on the process runtime; no agent here needs a limit');
  }
  const who = doubtful.length === 0 ? 'trials' : doubtful.join(', ');
  const detail = `network: ${network} can't be kept on the process runtime; ${who} may reach anything`;
  return { status: 'warn', detail, hint: 'set runtime: podman or docker in experiment.yml' };
}

function withoutNetwork(agents: readonly AgentSpec[]): Outcome {
  const cut = agents.filter((agent) => modelHostsOf(agent).length > 0).map(({ name }) => name);
  if (cut.length === 0) return ok('none: no interface but loopback');
  const detail = `network: none keeps ${cut.join(', ')} from the model API`;
  return { status: 'fail', detail, hint: 'set network: model-only in experiment.yml' };
}

async function modelOnly(agents: readonly AgentSpec[], env: CheckContext['env']): Promise<Outcome> {
  let extra: readonly ModelHost[];
  try {
    extra = extraModelHosts(env);
    parentProxy(env);
  } catch (error) {
    if (!(error instanceof LlmxError)) throw error;
    return { status: 'fail', detail: error.message, hint: error.hint };
  }
  const lost: string[] = [];
  for (const agent of agents) {
    if (isPaidKind(agent.kind) && extra.length === 0 && !(await isReached(agent, env))) {
      lost.push(agent.name);
    }
  }
  if (lost.length > 0) {
    const detail = `the hosts of the model API of ${lost.join(', ')} are not known`;
    return { status: 'fail', detail, hint: `export ${MODEL_HOSTS_VARIABLE}=api.example.com` };
  }
  const hosts = [...agents.flatMap(modelHostsOf), ...extra].map(shown);
  const list = [...new Set(hosts)].join(', ');
  return ok(`model-only: ${list === '' ? 'no host' : list}`);
}

/** By a host that is known to be its API's, or by way of the proxy that adds its key. */
async function isReached(agent: AgentSpec, env: CheckContext['env']): Promise<boolean> {
  if (modelHostsOf(agent).length > 0) return true;
  return (await planCredentials(agent, env, Date.now())).status === 'key';
}

function shown(entry: ModelHost): string {
  const star = entry.match === 'below' ? '*.' : '';
  return `${star}${entry.port === 443 ? entry.host : authorityOf(entry)}`;
}

function ok(detail: string): Outcome {
  return { status: 'ok', detail, hint: null };
}
