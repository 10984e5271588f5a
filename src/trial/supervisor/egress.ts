import { join, posix } from 'node:path';
import { modelHostsOf } from '../../agents/model-hosts.js';
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

/** Opens the way to the model in a container whose network is `model-only`. */
export async function openEgress(
  spec: SupervisorSpec,
  sandbox: Sandbox,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Egress> {
  const { kind } = spec.agent;
  const needsNone = kind === 'nop' || kind === 'oracle';
  if (sandbox.container === null || spec.sandbox.network !== 'model-only' || needsNone) {
    return CLOSED;
  }
  const allow = [...modelHostsOf(spec.agent), ...extraModelHosts(env)];
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
    },
    close: async () => {
      await proxy.close();
    },
  };
}
