import * as AddressBlock from '../identity/address-block.ts';
import * as Claim from '../identity/claim.ts';
import * as ClaimMail from '../identity/claim-mail.ts';
import * as ClaimToken from '../identity/claim-token.ts';
import type { Claims as TokenClaims } from '../identity/jwt.ts';
import { id } from '../kernel/id.ts';
import type { Shop } from './shop.ts';

export type Opened =
  /** A code is on its way, if the address takes mail: whether it is known here is not told. */
  | { kind: 'opened'; sid: string; expiresMs: number }
  | { kind: 'bad_token' }
  | { kind: 'claimed' }
  | { kind: 'limited'; retryAfterSeconds: number }
  /** The mail server is out of reach; nothing has happened. */
  | { kind: 'away' };

/** Sends a person the code with which an agent hands its account over. */
export async function open(
  shop: Shop,
  { claims, mailer, secret }: Claim.Office,
  { claimToken, email }: Claim.Opening,
  address: string,
): Promise<Opened> {
  const token = await read(shop, claimToken);
  if (token === null) return { kind: 'bad_token' };
  const { account, sid } = token;
  const code = Claim.newCode();
  const expiresMs = shop.clock() + Claim.codeLifeMs;
  const claim = {
    id: id('clm'),
    account,
    email,
    mailbox: Claim.mailboxDigest(secret, email),
    block: AddressBlock.isLoopback(address) ? null : AddressBlock.of(address),
    codeDigest: Claim.digest(secret, account, code),
    expiresMs,
  };
  const standing = await claims.start(claim);
  if (standing.kind !== 'begun') return standing;
  const { name } = shop.catalog.storefront;
  const { publicUrl } = shop;
  const posted = await mailer.send(
    ClaimMail.write({ to: email, code, name, publicUrl, known: standing.known }),
  );
  if (posted === 'away') {
    await claims.forget(claim.id);
    return { kind: 'away' };
  }
  return { kind: 'opened', sid, expiresMs };
}

export type Completed =
  | { kind: 'claimed'; sid: string; account: string; joined: boolean }
  | Exclude<Claim.Outcome, { kind: 'claimed' }>
  | { kind: 'bad_token' };

/**
 * The code comes back: the account has its person, or is a part of the one that this person had. Every process knows
 * of that when this resolves.
 */
export async function complete(
  shop: Shop,
  { claims, secret }: Claim.Office,
  { claimToken, code }: Claim.Completion,
): Promise<Completed> {
  const token = await read(shop, claimToken);
  if (token === null) return { kind: 'bad_token' };
  const { account, sid } = token;
  const plan = shop.catalog.plans.find(({ kind }) => kind === 'trial');
  const trial = { plan: plan?.id ?? '', units: plan?.kind === 'trial' ? plan.includedWhenClaimed : 0 };
  const outcome = await shop.revocations.telling(
    account,
    () => claims.complete(account, Claim.digest(secret, account, code), trial),
    (done) => done.kind === 'claimed' && done.joined,
  );
  return outcome.kind === 'claimed' ? { ...outcome, sid } : outcome;
}

async function read(shop: Shop, claimToken: string): Promise<TokenClaims | null> {
  const found = await ClaimToken.verify(shop.desk.ring, claimToken, shop.clock());
  if (found.kind !== 'ok') return null;
  const { jti, sid } = found.claims;
  return (await shop.revocations.has([jti, sid])) ? null : found.claims;
}
