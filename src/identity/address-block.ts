import { isIPv4, isIPv6 } from 'node:net';

/**
 * What one caller's address counts as: an IPv4 address itself, an IPv6 address its /64, of which a single host can use every address.
 * An IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`) is itself. Everything that is no address shares one block.
 */
export function of(address: string): string {
  if (isIPv4(address)) return address;
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return 'unknown';
  const groups = expand(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === '::1' || of(address).startsWith('127.');
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): readonly number[] {
  // The URL parser brings a dotted tail into hexadecimal groups.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = canonical.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...middle, ...back].map((group) => Number.parseInt(group, 16));
}
