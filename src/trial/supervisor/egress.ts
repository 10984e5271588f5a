import { join, posix } from 'node:path';
import { modelHostsOf } from '../../agents/model-hosts.js';
import type { ModelHost } from '../../domain/network/model-host.js';
import { EGRESS_SOCKET, type EgressRoute } from '../../domain/trial/program-contract.js';
import { loopbackTargets } from '../../network/allow-list.js';
import { startEgressProxy } from '../../network/egress-proxy.js';
import { extraModelHosts } from '../../network/model-hosts-variable.js';
import type { Sandbox } from '../../runtimes/runtime.js';
import type { SupervisorSpec } from '../supervisor-spec.js';

/** In the attempt's folder: a line for each connection that the agent asked for. */
const EGRESS_LOG = 'egress.jsonl';

/** The only way out of a trial, while its agent runs. */
export interface Egress {
  /** What the program is told; null where there is no way out, or nothing to keep. */
  readonly route: EgressRoute | null;
  close(): Promise<void>;
}

const CLOSED: Egress = { route: null, close: () => Promise.resolve() };

/**
 * Opens the way to the model in a container whose network is `model-only`. Where it is `open` only what has to
 * be reached by way of the host needs one.
 * @param doors servers of this machine that stand for the model's API; what is behind them is not reached else
 */
export async function openEgress(
  spec: SupervisorSpec,
  sandbox: Sandbox,
  env: Readonly<Record<string, string | undefined>>,
  doors: readonly ModelHost[],
): Promise<Egress> {
  const { network } = spec.sandbox;
  const allow = network === 'open' ? doors : allowed(spec, env, doors);
  if (sandbox.container === null || network === 'none' || allow === null) return CLOSED;
  if (network === 'open' && doors.length === 0) return CLOSED;
  const proxy = await startEgressProxy({
    socketPath: join(sandbox.host.root, EGRESS_SOCKET),
    allow,
    logFile: join(spec.attemptDir, EGRESS_LOG),
    env,
  });
  return {
    route: {
      socket: posix.join(sandbox.inside.root, EGRESS_SOCKET),
      loopback: loopbackTargets(allow),
      ...(network === 'open' ? { isOnlyWay: false } : {}),
    },
    close: async () => {
      await proxy.close();
    },
  };
}

/** Null for an agent that has no use for a network. */
function allowed(
  { agent }: SupervisorSpec,
  env: Readonly<Record<string, string | undefined>>,
  doors: readonly ModelHost[],
): readonly ModelHost[] | null {
  if (agent.kind === 'nop' || agent.kind === 'oracle') return null;
  return [...(doors.length > 0 ? doors : modelHostsOf(agent)), ...extraModelHosts(env)];
}
