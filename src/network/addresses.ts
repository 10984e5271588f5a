import { BlockList, isIP, isIPv4 } from 'node:net';

/** Not of the public internet, by the registries of special-purpose addresses (RFC 6890 and its successors). */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** Inside 2000::/3, all that is not a plain address of a host: tunnels carry an IPv4 address along. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, 'ipv6');

const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

/** Prefix by which a network without IPv4 reaches it (RFC 6052); what counts is the address behind. */
const NAT64 = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/i;

/** Whether an address is of the public internet: no loopback, private, link-local or otherwise special one. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  const behind = NAT64.exec(address);
  if (behind !== null) return isPublicAddress(ipv4Of(behind[1] ?? '0', behind[2] ?? '0'));
  return globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

function ipv4Of(high: string, low: string): string {
  return [high, low]
    .map((word) => parseInt(word, 16))
    .flatMap((word) => [word >> 8, word & 255])
    .join('.');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
