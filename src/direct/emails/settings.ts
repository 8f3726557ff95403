import { isIP } from 'node:net';
import * as EmailAddress from '../filters/email-address.ts';

/** How addresses are tested. */
export type Settings = {
  /** The name that we greet with: a host whose address leads back to it. */
  helo: string;
  /** The sender that we name: an address whose owner answers for what we do. */
  from: string;
  /** Whether the program tests by itself what is due; else only the command does. */
  isScheduled: boolean;
  port: number;
  /** `address` or `address:port`; null for those of the system. */
  dnsServers: readonly string[] | null;
  /** Whether a domain may lead to addresses that are not public, our own machines among them. */
  allowsPrivate: boolean;
  /** Conversations at the same time, of one process. */
  conversationsMax: number;
  /** Connections at the same time to the servers of one operator, of all processes. */
  linesMax: number;
  /** How long each of them is left alone afterwards. */
  restMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const hostPattern = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i;

/**
 * Reads the settings; null where nobody said who we are, as nothing goes out then. What is wrong with them is added to
 * `faults`.
 */
export function read(environment: Environment, faults: string[]): Settings | null {
  const text = (name: string, isRight: (value: string) => boolean, otherwise: string) => {
    const value = environment[name] || null;
    if (value !== null && !isRight(value)) faults.push(`${name} ${otherwise}`);
    return value;
  };
  const number = (name: string, min: number, max: number, otherwise: number) => {
    const isRight = (value: string) =>
      /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max;
    return Number(text(name, isRight, `must be a whole number from ${min} to ${max}`) ?? otherwise);
  };
  const helo = text(
    'DIRECT_EMAIL_HELO',
    (value) => hostPattern.test(value),
    'must be a host name with a domain',
  );
  const from = text(
    'DIRECT_EMAIL_FROM',
    (value) => EmailAddress.parse(value) === value,
    'must be an email address in lower case',
  );
  const schedule = text('DIRECT_EMAIL_SCHEDULE', (value) => /^(on|off)$/.test(value), 'must be on or off');
  const dns = text(
    'DIRECT_EMAIL_DNS',
    (value) => value.split(',').every(isServer),
    'must be addresses, each with or without a port, and commas between them',
  );
  const privateHosts = text(
    'DIRECT_EMAIL_PRIVATE_HOSTS',
    (value) => /^(allow|refuse)$/.test(value),
    'must be allow or refuse',
  );
  const settings = {
    isScheduled: schedule !== 'off',
    port: number('DIRECT_EMAIL_PORT', 1, 65_535, 25),
    dnsServers: dns?.split(',') ?? null,
    allowsPrivate: privateHosts === 'allow',
    conversationsMax: number('DIRECT_EMAIL_CONVERSATIONS', 1, 100, 10),
    linesMax: number('DIRECT_EMAIL_LINES', 1, 10, 2),
    restMs: number('DIRECT_EMAIL_REST_SECONDS', 1, 3_600, 5) * 1_000,
  };
  if ((helo === null) !== (from === null))
    faults.push('DIRECT_EMAIL_HELO and DIRECT_EMAIL_FROM go together: both or neither');
  return helo === null || from === null ? null : Object.freeze({ helo, from, ...settings });
}

function isServer(text: string): boolean {
  const [, v6, v4] = /^(?:\[(.+)\]|([\d.]+)):\d{1,5}$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? text) !== 0;
}
