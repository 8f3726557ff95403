import { sha256Hex } from '../../kernel/digest.ts';

/** What the DNS says: records, none of this kind, no such name at all, or nothing that could be relied on. */
export type Found<T> =
  | { kind: 'found'; records: readonly T[] }
  | { kind: 'empty' }
  | { kind: 'no_name' }
  | { kind: 'failing' };
export type Mx = { exchange: string; priority: number };
export type Resolver = {
  mx(domain: string): Promise<Found<Mx>>;
  /** IPv4 and IPv6 addresses of a host. */
  addresses(host: string): Promise<Found<string>>;
};

/** Where mail for a domain goes: hosts in the order in which they are to be tried. */
export type Route =
  | { kind: 'hosts'; hosts: readonly string[] }
  | { kind: 'none'; reason: 'no_domain' | 'no_mail' | 'no_mail_server' }
  | { kind: 'failing' };

/** More of them would only cost a dead domain more of our time. */
const hostsMax = 4;

/**
 * The mail servers of a domain (RFC 5321, 5.1): by priority, in an order of their own (`salt`) among equals; the domain
 * itself where it has no MX record; none where it says so (RFC 7505) or does not exist.
 */
export async function find(domain: string, salt: string, resolver: Resolver): Promise<Route> {
  const found = await resolver.mx(domain);
  switch (found.kind) {
    case 'failing':
      return { kind: 'failing' };
    case 'no_name':
      return { kind: 'none', reason: 'no_domain' };
    case 'empty':
      return implicit(domain, resolver);
    case 'found':
      return explicit(found.records, salt);
  }
}

async function implicit(domain: string, resolver: Resolver): Promise<Route> {
  const found = await resolver.addresses(domain);
  if (found.kind === 'failing') return { kind: 'failing' };
  if (found.kind === 'found') return { kind: 'hosts', hosts: [domain] };
  return { kind: 'none', reason: 'no_mail_server' };
}

function explicit(records: readonly Mx[], salt: string): Route {
  const named = records.filter(({ exchange }) => exchange !== '' && exchange !== '.');
  if (named.length === 0) return { kind: 'none', reason: 'no_mail' };
  const hosts = named
    .map(({ exchange, priority }) => ({ host: exchange.toLowerCase().replace(/\.$/, ''), priority }))
    .sort((one, other) => one.priority - other.priority || (drawn(one.host) < drawn(other.host) ? -1 : 1))
    .map(({ host }) => host);
  return { kind: 'hosts', hosts: [...new Set(hosts)].slice(0, hostsMax) };

  function drawn(host: string): string {
    return sha256Hex(`${salt} ${host}`);
  }
}

/**
 * Who runs a mail server, by its name less what tells its servers and customers apart: `mx1.acme.example` and
 * `a-com.mail.protection.outlook.com` have limits together with all others of `acme.example` and `outlook.com`.
 */
export function operator(host: string): string {
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  // `co.uk`, `com.au`: a short name below a country is hardly anybody's own.
  const count = top.length === 2 && second.length <= 3 && labels.length > 2 ? 3 : 2;
  return labels.slice(-count).join('.');
}
