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

/** Addresses of this link, and the one that a cloud serves its metadata at over IPv6. */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16);
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addAddress('fd00:ec2::254', 'ipv6');

/** Returns true for addresses at which clouds serve the credentials of a machine. An IPv4 address may be written as IPv6. */
export function isLinkLocal(address: string): boolean {
  return linkLocal.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export function isPublic(address: string): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (reserved.check(address, family)) return false;
  return family === 'ipv4' || global.check(address, family);
}
