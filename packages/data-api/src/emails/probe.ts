import { sha256Hex } from '@sluice/kernel/digest';
import * as PublicAddress from '@sluice/kernel/public-address';
import type { Resolver } from './route.ts';
import * as SmtpSession from './smtp-session.ts';

/** Runs SMTP sessions over the network. Never throws because of what the server does. */
export type Transport = {
  run(
    place: { address: string; port: number; name: string },
    conversation: SmtpSession.Conversation,
    signal: AbortSignal,
  ): Promise<SmtpSession.Outcome>;
};

/** The reason why no server was contacted. */
type NoSessionReason = 'no_address' | 'private_address' | 'dns';
export type ProbeResult =
  | { kind: 'session'; outcome: SmtpSession.Outcome }
  | { kind: 'no_session'; why: NoSessionReason };

export type ProbeOptions = {
  helo: string;
  from: string;
  port: number;
  allowsPrivate: boolean;
  resolver: Resolver;
  transport: Transport;
  signal: AbortSignal;
};

/** Per address family. IPv4 comes first: many servers reject IPv6 clients that have no reverse DNS name. */
const addressesMax = 2;

/**
 * Asks one mail server about addresses of `domain`, at the first of its network addresses that answers. Retries without
 * encryption if the TLS handshake fails. Never connects to a private network address unless `allowsPrivate` is set.
 */
export async function probe(
  host: string,
  domain: string,
  emails: readonly string[],
  options: ProbeOptions,
): Promise<ProbeResult> {
  const { helo, from, port, allowsPrivate, resolver, transport, signal } = options;
  const found = await resolver.addresses(host);
  if (found.kind === 'failing') return { kind: 'no_session', why: 'dns' };
  if (found.kind !== 'found') return { kind: 'no_session', why: 'no_address' };
  const open = found.records.filter((address) => allowsPrivate || PublicAddress.isPublic(address));
  const { v4 = [], v6 = [] } = Object.groupBy(open, (address) => (address.includes(':') ? 'v6' : 'v4'));
  const decoy = `nobody_${sha256Hex(`${from} ${domain}`).slice(0, 16)}@${domain}`;
  let result: ProbeResult = { kind: 'no_session', why: 'private_address' };
  for (const address of [...v4.slice(0, addressesMax), ...v6.slice(0, addressesMax)]) {
    for (const encrypts of [true, false]) {
      const plan = { helo, from, emails, decoy, encrypts };
      const outcome = await transport.run({ address, port, name: host }, SmtpSession.session(plan), signal);
      result = { kind: 'session', outcome };
      if (outcome.trouble !== 'tls') break;
    }
    if (hasAnswered(result) || signal.aborted) return result;
  }
  return result;
}

/** Returns true when the server replied about at least one address, or refused to talk to us at all. */
export function hasAnswered(result: ProbeResult): boolean {
  if (result.kind === 'no_session') return false;
  const { trouble, meanings } = result.outcome;
  return trouble === null || trouble === 'sender' || meanings.size > 0;
}
