import { sha256Hex } from '@sluice/kernel/digest';

/** Result of a DNS lookup: records, no records of this type, no such name, or a failed lookup. */
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

/** Mail route of a domain: hosts in the order to try them. */
export type Route =
  | { kind: 'hosts'; hosts: readonly string[] }
  | { kind: 'none'; reason: 'no_domain' | 'no_mail' | 'no_mail_server' }
  | { kind: 'failing' };

/** Limits the time spent on a domain whose servers are all down. */
const hostsMax = 4;

/**
 * Finds the mail servers of a domain (RFC 5321, 5.1), by priority and, among equals, shuffled by `salt`. A domain without
 * MX records is its own mail server. A null MX (RFC 7505) or an unknown domain means that there is none.
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
 * The operator of a mail server: the registered domain of its host name. Hosts of one operator share connection limits:
 * `mx1.acme.example` counts as `acme.example`, `a-com.mail.protection.outlook.com` as `outlook.com`.
 */
export function operator(host: string): string {
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  // `co.uk`, `com.au`: a short label below a country code is usually a public suffix.
  const count = top.length === 2 && second.length <= 3 && labels.length > 2 ? 3 : 2;
  return labels.slice(-count).join('.');
}
