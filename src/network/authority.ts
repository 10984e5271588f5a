/** Where somebody wants to go. */
export interface Target {
  /** As {@link canonicalHost} gives it. */
  readonly host: string;
  readonly port: number;
}

/** Characters that would make a URL parser see more than a host. */
const NO_HOST = /[\s/\\?#@%\u0000-\u001f\u007f]/;

/** Labels between single dots. */
const PLAIN_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * One spelling for every way to write a host: lower case, IDN as punycode, no trailing dot, an IPv4 address
 * in dotted form whether it was written so, as a number, octal or mapped into IPv6. Null for anything else.
 */
export function canonicalHost(text: string): string | null {
  if (text === '' || text.length > 255 || NO_HOST.test(text)) return null;
  let name: string;
  try {
    name = new URL(`http://${text}/`).hostname;
  } catch {
    return null; // no host in anybody's spelling
  }
  if (name.startsWith('[')) return mappedIpv4(name.slice(1, -1)) ?? name.slice(1, -1);
  const host = name.replace(/\.$/, '');
  return PLAIN_NAME.test(host) ? host : null;
}

/** `::ffff:7f00:1`, as a URL has it, names the IPv4 address 127.0.0.1. */
function mappedIpv4(address: string): string | null {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return null;
  const words = [parseInt(high, 16), parseInt(low, 16)];
  return words.flatMap((word) => [word >> 8, word & 255]).join('.');
}

/**
 * `host:port` or `host`; an IPv6 address in brackets.
 * @returns null for what is neither, user names included
 */
export function parseAuthority(text: string, defaultPort?: number): Target | null {
  const [, name, digits] = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (name === undefined) return null;
  const host = canonicalHost(name);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === null || port === undefined || port < 1 || port > 65_535) return null;
  return { host, port };
}

export function authorityOf({ host, port }: Target): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
