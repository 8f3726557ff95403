import { sha256Hex } from '../../kernel/digest.ts';
import * as Conversation from './conversation.ts';
import * as PublicAddress from './public-address.ts';
import type { Resolver } from './route.ts';

/** What carries a conversation to a server and back. It never throws for what the other side does. */
export type Wire = {
  hold(
    place: { address: string; port: number; name: string },
    conversation: Conversation.Conversation,
    signal: AbortSignal,
  ): Promise<Conversation.Outcome>;
};

/** Why nobody was spoken to. */
type Absence = 'no_address' | 'private_address' | 'dns';
export type Visit = { kind: 'spoken'; outcome: Conversation.Outcome } | { kind: 'absent'; why: Absence };

export type Asking = {
  helo: string;
  from: string;
  port: number;
  allowsPrivate: boolean;
  resolver: Resolver;
  wire: Wire;
  signal: AbortSignal;
};

/** Of each family; the old one first, as many servers turn away whoever comes by the new one without a name. */
const addressesMax = 2;

/**
 * Asks one mail server for addresses of `domain`, at the first of its network addresses that answers; without
 * encryption where it offers what it cannot do. Never at an address that is not public, unless that is allowed.
 */
export async function pay(
  host: string,
  domain: string,
  emails: readonly string[],
  asking: Asking,
): Promise<Visit> {
  const { helo, from, port, allowsPrivate, resolver, wire, signal } = asking;
  const found = await resolver.addresses(host);
  if (found.kind === 'failing') return { kind: 'absent', why: 'dns' };
  if (found.kind !== 'found') return { kind: 'absent', why: 'no_address' };
  const open = found.records.filter((address) => allowsPrivate || PublicAddress.isPublic(address));
  const { v4 = [], v6 = [] } = Object.groupBy(open, (address) => (address.includes(':') ? 'v6' : 'v4'));
  const decoy = `nobody_${sha256Hex(`${from} ${domain}`).slice(0, 16)}@${domain}`;
  let visit: Visit = { kind: 'absent', why: 'private_address' };
  for (const address of [...v4.slice(0, addressesMax), ...v6.slice(0, addressesMax)]) {
    for (const encrypts of [true, false]) {
      const plan = { helo, from, emails, decoy, encrypts };
      const outcome = await wire.hold({ address, port, name: host }, Conversation.hold(plan), signal);
      visit = { kind: 'spoken', outcome };
      if (outcome.trouble !== 'tls') break;
    }
    if (hasAnswered(visit) || signal.aborted) return visit;
  }
  return visit;
}

/** Whether the server has said something of an address, or that it will not say anything to us. */
export function hasAnswered(visit: Visit): boolean {
  if (visit.kind === 'absent') return false;
  const { trouble, meanings } = visit.outcome;
  return trouble === null || trouble === 'sender' || meanings.size > 0;
}
