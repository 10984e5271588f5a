import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ModelHost } from '../domain/network/model-host.js';
import { isPublicAddress } from './addresses.js';
import { allowing } from './allow-list.js';
import { authorityOf, type Target } from './authority.js';
import type { ParentProxy } from './parent-proxy.js';

const CONNECT_TIMEOUT_MS = 30_000;

/** Time for one address before the next is tried beside it; the default of Node is short for far networks. */
const NEXT_ADDRESS_MS = 1_000;

/** The target is not to be reached, and a sentence for whoever asked. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    /** For the log, which names the target beside it. */
    readonly reason: string,
  ) {
    super(message);
  }
}

export interface Route {
  readonly allow: readonly ModelHost[];
  readonly parent: ParentProxy | null;
}

/**
 * Opens a connection to a target that is allowed. A name is resolved first, and the connection goes to an
 * address that was looked at: a second answer of the name server changes nothing.
 * @throws RefusedError, or the error of a connection that failed
 */
export async function openTarget(route: Route, target: Target): Promise<Duplex> {
  const entry = allowing(route.allow, target);
  if (entry === null) {
    const message = `${authorityOf(target)} is not among the hosts of the model API`;
    throw new RefusedError(message, 'not a host of the model API');
  }
  const { parent } = route;
  // Behind a proxy names are resolved by it, and perhaps by nobody here.
  if (parent?.isFor(target) === true && isIP(target.host) === 0) {
    const connection = await opened(parent.connect());
    return within(connection, parent.through(connection, target));
  }
  const addresses = await reachable(entry, target);
  const socket = connect({
    ...target,
    lookup: answering(addresses),
    allowHalfOpen: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  return opened(socket.setNoDelay(true));
}

async function reachable(entry: ModelHost, target: Target): Promise<readonly LookupAddress[]> {
  const found = await lookup(target.host, { all: true, verbatim: true });
  const allowed = entry.mayBePrivate
    ? found
    : found.filter(({ address }) => isPublicAddress(address));
  if (allowed.length > 0) return allowed;
  const message = `${authorityOf(target)} is in a private network or on the host itself`;
  throw new RefusedError(message, 'a private address');
}

function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };
}

/** The connection once it stands, within the time for one. */
export function opened(socket: Duplex): Promise<Duplex> {
  const event = 'encrypted' in socket ? 'secureConnect' : 'connect';
  return within(
    socket,
    new Promise((resolve, reject) => {
      socket.once(event, () => {
        resolve(socket);
      });
      socket.on('error', reject); // stays: a later error is told by 'close'
    }),
  );
}

/** A step that takes too long ends with its connection. */
async function within(socket: Duplex, step: Promise<Duplex>): Promise<Duplex> {
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
  }, CONNECT_TIMEOUT_MS);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
