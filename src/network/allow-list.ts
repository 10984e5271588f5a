import { isIP } from 'node:net';
import type { ModelHost } from '../domain/network/model-host.js';
import { isLoopback } from './addresses.js';
import type { Target } from './authority.js';

/** What allows a target: nothing (null), or the entry that goes furthest. */
export function allowing(allow: readonly ModelHost[], target: Target): ModelHost | null {
  const matching = allow.filter((entry) => entry.port === target.port && matches(entry, target));
  return matching.find((entry) => entry.mayBePrivate) ?? matching[0] ?? null;
}

function matches({ host, match }: ModelHost, target: Target): boolean {
  if (match === 'exact') return host === target.host;
  return isIP(target.host) === 0 && target.host.endsWith(`.${host}`);
}

/** Servers of this machine that are allowed: inside they are to be found at the same loopback address. */
export function loopbackTargets(allow: readonly ModelHost[]): readonly Target[] {
  return allow
    .filter(({ host, match }) => match === 'exact' && isLoopback(host))
    .map(({ host, port }) => ({ host, port }));
}
