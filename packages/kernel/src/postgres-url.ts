import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import * as HostRotation from './host-rotation.ts';

/** Parameters of libpq and of other clients that mean nothing here: managed services put them into the addresses that they hand out. */
const dropped: ReadonlySet<string> = new Set([
  // The driver authenticates without channel binding.
  'channel_binding',
  'connection_limit',
  'connect_timeout',
  'fallback_application_name',
  'gsslib',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'krbsrvname',
  'load_balance_hosts',
  'pgbouncer',
  'pool_timeout',
  'schema',
  'sslcompression',
  'sslnegotiation',
  'sslsni',
  'supa',
  'tcp_user_timeout',
]);
/** Parameters that go to the server, or that the driver knows. */
const kept: ReadonlySet<string> = new Set([
  'application_name',
  'client_encoding',
  'options',
  'search_path',
  'sslmode',
  'target_session_attrs',
  'timezone',
]);
const sslModes: ReadonlySet<string> = new Set([
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
]);
const sessionAttributes: ReadonlySet<string> = new Set([
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
]);

const usualPort = 5432;

export type PostgresUrl = {
  /** For the driver: without what it would send to the server as a setting. Of several hosts it takes the primary, unless the text says otherwise. */
  url: string;
  /** The file of `sslrootcert`; null where there is none. */
  rootCertPath: string | null;
};

/** Reads a connection string as Neon, RDS, Supabase and libpq write it, with one host or several; or what is wrong with it. */
export function parse(text: string): { ok: true; value: PostgresUrl } | { ok: false; faults: string[] } {
  const url = URL.parse(withOneHost(text));
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    return { ok: false, faults: ['is not a postgres: or postgresql: address'] };
  const { searchParams } = url;
  const rootCert = searchParams.get('sslrootcert');
  const hasSeveralHosts = withOneHost(text) !== text;
  const isAny = searchParams.get('target_session_attrs') === 'any';
  const faults: string[] = [];
  for (const [name, value] of [...searchParams]) {
    const fault = faultOf(name, value);
    if (fault === null) translate(searchParams, name, value);
    else faults.push(fault);
  }
  const rootCertPath = rootCert === 'system' ? null : rootCert;
  if (faults.length > 0) return { ok: false, faults };
  // Otherwise the driver takes the first that answers, which may be a standby.
  if (hasSeveralHosts && !searchParams.has('target_session_attrs') && !isAny)
    searchParams.set('target_session_attrs', 'primary');
  const query = url.searchParams.size === 0 ? '' : `?${url.searchParams}`;
  return { ok: true, value: { url: text.replace(/[?#].*$/s, '') + query, rootCertPath } };
}

/** Describes why a parameter cannot be used; null for one that can, or that is ignored. */
function faultOf(name: string, value: string): string | null {
  if (name === 'sslmode' && !sslModes.has(value))
    return `has sslmode=${value}: choose one of ${[...sslModes].join(', ')}`;
  if (name === 'target_session_attrs' && !sessionAttributes.has(value))
    return `has target_session_attrs=${value}: choose one of ${[...sessionAttributes].join(', ')}`;
  const isKnown = dropped.has(name) || kept.has(name) || name === 'sslrootcert' || isSslSwitch(name, value);
  return isKnown || name.includes('.')
    ? null
    : `has the parameter ${name}, which is not supported: remove it`;
}

/** Removes a parameter that the driver does not know, or replaces it by the one that means the same. */
function translate(params: URLSearchParams, name: string, value: string): void {
  if (name === 'sslrootcert' && value === 'system') params.set('sslmode', 'verify-full');
  if (isSslSwitch(name, value)) params.set('sslmode', value === 'true' ? 'require' : 'disable');
  const isAnySession = name === 'target_session_attrs' && value === 'any';
  if (dropped.has(name) || name === 'sslrootcert' || isSslSwitch(name, value) || isAnySession)
    params.delete(name);
}

function isSslSwitch(name: string, value: string): boolean {
  return name === 'ssl' && (value === 'true' || value === 'false');
}

type Tls = { ca: string; checkServerIdentity?: () => undefined };

type DriverOptions = {
  ssl?: Tls;
  /** Opens the connections to several hosts. The driver's types do not list it. */
  socket?: () => Promise<Socket>;
};

/**
 * Returns the URL and the options for the driver. Throws TypeError on a connection string that `parse` refuses, and the system's error when
 * the root certificate cannot be read. With a root certificate the server's certificate is verified as libpq does: the host name only with
 * `verify-full`.
 */
export function driver(text: string): { url: string; options: DriverOptions } {
  const parsed = parse(text);
  if (!parsed.ok) throw new TypeError(`DATABASE_URL ${parsed.faults.join('; ')}`);
  const { url, rootCertPath } = parsed.value;
  const hosts = hostsOf(text);
  const rotation = hosts.length > 1 ? { socket: HostRotation.open(hosts) } : {};
  if (rootCertPath === null) return { url, options: rotation };
  const ca = readFileSync(rootCertPath, 'utf8');
  const namesMatter = /[?&]sslmode=verify-full\b/.test(url);
  const ssl = namesMatter ? { ca } : { ca, checkServerIdentity: () => undefined };
  return { url, options: { ...rotation, ssl } };
}

/** Returns the hosts of a connection string, in its order. */
function hostsOf(text: string): HostRotation.Host[] {
  const [, list = ''] = /^[a-z]+:\/\/(?:[^@/?#]*@)?([^/?#]*)/i.exec(text) ?? [];
  return list.split(',').map((each) => {
    const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(each) ?? [];
    return { host, port: Number(port ?? usualPort) };
  });
}

/** The first of several hosts in place of all, which is what URL parsers read. */
function withOneHost(text: string): string {
  return text.replace(/^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#,]*)(?:,[^/?#]*)/i, '$1$2');
}
