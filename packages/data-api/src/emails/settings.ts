import { isIP } from 'node:net';
import * as EmailAddress from '../filters/email-address.ts';

/** Settings of email verification. */
export type Settings = {
  /** Host name sent in EHLO. Reverse DNS of this machine should resolve to it. */
  helo: string;
  /** Address sent in MAIL FROM. Its owner receives complaints about the verification. */
  from: string;
  /** True when the program verifies due addresses itself; otherwise only `sluice emails verify` does. */
  isScheduled: boolean;
  port: number;
  /** `address` or `address:port`; null for the system's DNS servers. */
  dnsServers: readonly string[] | null;
  /** True allows connections to private network addresses. False protects internal machines from forged MX records. */
  allowsPrivate: boolean;
  /** Maximum number of concurrent SMTP sessions per process. */
  conversationsMax: number;
  /** Maximum number of concurrent connections to one mail operator, across all processes. */
  connectionsPerOperatorMax: number;
  /** Pause before a connection slot is used again. */
  restMs: number;
};

/** Notice for operators while email verification is off. */
export const offNotice =
  'Email verification is off: imported emails are not returned unless their import is trusted. To enable it, set DIRECT_EMAIL_HELO to the host name of this machine and DIRECT_EMAIL_FROM to an email address of yours (docs/emails.md).';

type Environment = Readonly<Record<string, string | undefined>>;

const hostPattern = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i;

/**
 * Reads the settings and appends invalid ones to `faults`. Returns null without `DIRECT_EMAIL_HELO` and
 * `DIRECT_EMAIL_FROM`: servers are not contacted anonymously.
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
    'must be IP addresses with an optional port, separated by commas',
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
    connectionsPerOperatorMax: number('DIRECT_EMAIL_LINES', 1, 10, 2),
    restMs: number('DIRECT_EMAIL_REST_SECONDS', 1, 3_600, 5) * 1_000,
  };
  if ((helo === null) !== (from === null))
    faults.push('DIRECT_EMAIL_HELO and DIRECT_EMAIL_FROM must be set together');
  return helo === null || from === null ? null : Object.freeze({ helo, from, ...settings });
}

function isServer(text: string): boolean {
  const [, v6, v4] = /^(?:\[(.+)\]|([\d.]+)):\d{1,5}$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? text) !== 0;
}
