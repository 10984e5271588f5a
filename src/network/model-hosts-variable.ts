import { isIP } from 'node:net';
import type { ModelHost } from '../domain/network/model-host.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isLoopback, isPublicAddress } from './addresses.js';
import { parseAuthority } from './authority.js';

export const MODEL_HOSTS_VARIABLE = 'LLMX_MODEL_HOSTS';

/**
 * Hosts that a person adds to those of the agents, from `LLMX_MODEL_HOSTS="host[:port],*.suffix[:port],…"`.
 * The port is 443 when left out; with a port the host may also be one of a private network.
 * @throws LlmxError `model_hosts_invalid`
 */
export function extraModelHosts(
  env: Readonly<Record<string, string | undefined>>,
): readonly ModelHost[] {
  const items = (env[MODEL_HOSTS_VARIABLE] ?? '').split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map(modelHost);
}

function modelHost(item: string): ModelHost {
  const below = /^(?:\*\.|\.)(.*)$/s.exec(item)?.[1];
  const target = parseAuthority(below ?? item, 443);
  if (target === null) throw invalid(item, 'is not host, host:port or *.suffix');
  const hasPort = /:\d+$/.test(item);
  if (below !== undefined) {
    const isName = isIP(target.host) === 0 && target.host.includes('.');
    if (!isName) throw invalid(item, 'opens too much; write at least two names after the star');
    return { ...target, match: 'below', mayBePrivate: false };
  }
  const isPrivate =
    isIP(target.host) === 0 ? isLoopback(target.host) : !isPublicAddress(target.host);
  if (isPrivate && !hasPort) throw invalid(item, 'is no public address; write the port as well');
  return { ...target, match: 'exact', mayBePrivate: hasPort };
}

function invalid(item: string, problem: string): LlmxError {
  return new LlmxError('model_hosts_invalid', { value: JSON.stringify(item), problem });
}
