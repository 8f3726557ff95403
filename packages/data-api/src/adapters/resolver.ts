import { Resolver as DnsResolver } from 'node:dns/promises';
import type { Found, Resolver } from '../emails/route.ts';

/** Timeout of the first attempt. c-ares doubles it for each further one: about seven seconds in total. */
const timeoutMs = 2_000;
const tries = 2;

/** Resolves names at `servers`, or at the system's DNS servers if null. Every lookup ends within some seconds. */
export function resolver(servers: readonly string[] | null): Resolver {
  const dns = new DnsResolver({ timeout: timeoutMs, tries });
  if (servers !== null) dns.setServers(servers);
  return {
    mx: (domain) => found(dns.resolveMx(domain)),
    async addresses(host) {
      const [v4, v6] = await Promise.all([found(dns.resolve4(host)), found(dns.resolve6(host))]);
      const records = [v4, v6].flatMap((each) => (each.kind === 'found' ? each.records : []));
      if (records.length > 0) return { kind: 'found', records };
      if (v4.kind === 'failing' || v6.kind === 'failing') return { kind: 'failing' };
      return v4.kind === 'no_name' ? v4 : { kind: 'empty' };
    },
  };
}

async function found<T>(lookup: Promise<T[]>): Promise<Found<T>> {
  try {
    const records = await lookup;
    return records.length > 0 ? { kind: 'found', records } : { kind: 'empty' };
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENODATA':
        return { kind: 'empty' };
      case 'ENOTFOUND':
        return { kind: 'no_name' };
      default:
        return { kind: 'failing' };
    }
  }
}
