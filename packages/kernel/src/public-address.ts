import { BlockList, isIPv6 } from 'node:net';

/** Addresses that no public mail server has (RFC 6890). A domain must not lead requests to machines of this network. */
const reserved = new BlockList();
for (const [network, prefix] of [
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
] as const) {
  reserved.addSubnet(network, prefix);
}

/** IPv6 addresses that are assigned to the public, without the ranges that map to IPv4 or are reserved. */
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv6');
}

export function isPublic(address: string): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (reserved.check(address, family)) return false;
  return family === 'ipv4' || global.check(address, family);
}
