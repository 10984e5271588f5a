/** A host that a trial may reach although its network is `model-only`. */
export interface ModelHost {
  /** Lower case ASCII without a trailing dot; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** `below`: every name that ends with this one, but not the name itself. */
  readonly match: 'exact' | 'below';
  /** May be this machine or a private network: a person wrote both host and port. */
  readonly mayBePrivate: boolean;
}

/** A host of a public API, at the port of HTTPS. */
export function apiHost(host: string): ModelHost {
  return { host, port: 443, match: 'exact', mayBePrivate: false };
}

/** Every name below a public one. */
export function apiHostsBelow(host: string): ModelHost {
  return { ...apiHost(host), match: 'below' };
}
