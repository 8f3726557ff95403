import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the block that a caller's address is counted under: an IPv4 address itself; the /64 of an IPv6 address, as one host can use all of
 * it. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as IPv4. A port is ignored. All texts that are not addresses share one block.
 */
export function blockOf(address: string): string {
  return levels(address)[0];
}

/**
 * Returns the blocks that contain an address, the narrowest first: for IPv4 the address and its /24; for IPv6 its /64, /56 and /48, which
 * is what a hosting provider assigns to one customer.
 */
export function levels(address: string): readonly [string, ...string[]] {
  const bare = withoutPort(address).replace(/%.*$/, '');
  if (isIPv4(bare)) return ofIPv4(bare);
  if (!isIPv6(bare)) return ['unknown'];
  const groups = expand(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return ofIPv4(
      groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 0xff])
        .join('.'),
    );
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  const block = (last: number, bits: number) =>
    `${[a, b, c, last].map((group) => group.toString(16)).join(':')}::/${bits}`;
  return [block(d, 64), block(d & 0xff00, 56), block(0, 48)];
}

/** Returns true for a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || blockOf(address).startsWith('127.');
}

function ofIPv4(address: string): readonly [string, string] {
  return [address, `${address.slice(0, address.lastIndexOf('.'))}.0/24`];
}

/** Some load balancers write an address with its port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return (
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(address)?.[1] ??
    /^(\d+(?:\.\d+){3}):\d{1,5}$/.exec(address)?.[1] ??
    address
  );
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): readonly number[] {
  // The URL parser turns a dotted IPv4 tail into hexadecimal groups.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = canonical.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...middle, ...back].map((group) => Number.parseInt(group, 16));
}
