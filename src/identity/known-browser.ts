import { createHmac, timingSafeEqual } from 'node:crypto';
import { secret as newSecret } from '@sluice/kernel/id';

/** A browser remembers this many mailboxes. */
const mailboxesMax = 4;

/** A browser that has opened a sign-in link: a random id, and one proof for each mailbox whose link it opened. */
type Known = { id: string; proofs: readonly string[] };

/**
 * Returns the id of a browser that has opened a link of the mailbox, from its cookie; otherwise null. Such a browser has an allowance of its own for
 * links, which strangers cannot use up. It is no permission: the link is still mailed.
 * @param secret keys the proofs; the same in all processes
 */
export function knownTo(secret: string, mailbox: string, cookie: string | null): string | null {
  const known = parse(cookie);
  if (known === null) return null;
  const expected = Buffer.from(proof(secret, mailbox, known.id));
  const isKnown = known.proofs.some((one) => timingSafeEqual(Buffer.from(one), expected));
  return isKnown ? known.id : null;
}

/** Returns the cookie of a browser that has just opened a link of the mailbox. */
export function withMailbox(secret: string, mailbox: string, cookie: string | null): string {
  const { id, proofs } = parse(cookie) ?? { id: newSecret('skb'), proofs: [] };
  const added = proof(secret, mailbox, id);
  return [id, added, ...proofs.filter((one) => one !== added)].slice(0, mailboxesMax + 1).join('.');
}

function parse(cookie: string | null): Known | null {
  const [id = '', ...proofs] = (cookie ?? '').split('.');
  const isWhole = /^skb_[\w-]{43}$/.test(id) && proofs.every((one) => /^[\w-]{43}$/.test(one));
  return isWhole && proofs.length <= mailboxesMax ? { id, proofs } : null;
}

function proof(secret: string, mailbox: string, id: string): string {
  return createHmac('sha256', secret).update(`known browser ${id} ${mailbox}`).digest('base64url');
}
