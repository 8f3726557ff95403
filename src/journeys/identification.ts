import * as AccountKey from '../identity/account-key.ts';
import * as Bearer from '../identity/bearer.ts';
import * as Joins from '../identity/joins.ts';
import type { Claims } from '../identity/jwt.ts';
import type { Shop } from './shop.ts';

/**
 * `frozen`: its seller lets this account do nothing but look. `unknown`: the token is genuine, but nobody can say now whether
 * it has been revoked.
 */
export type Identified = Bearer.Bearer | { kind: 'frozen'; claims: Claims } | { kind: 'unknown' };

/**
 * Who sent this Authorization header: the account of its token, or the one which that has joined since. Revocations and
 * joins count in every process at once: one that hears of none asks the record. At once for a caller who is known.
 */
export function identify(
  shop: Shop,
  header: string | undefined,
  nowMs: number,
): Identified | Promise<Identified> {
  const known = header === undefined ? null : Bearer.recall(shop.desk, header, nowMs);
  return known === null ? meet(shop, header, nowMs) : stand(shop, known);
}

/** One who is not remembered. */
async function meet(shop: Shop, header: string | undefined, nowMs: number): Promise<Identified> {
  const digest = header === undefined ? null : AccountKey.digestIn(header);
  const bearer: Identified =
    digest !== null && header !== undefined
      ? await byKey(shop, header, digest, nowMs)
      : await Bearer.verify(shop.desk, header, nowMs);
  return bearer.kind === 'token' ? stand(shop, bearer.claims) : bearer;
}

/** How the account that is claimed stands now. */
function stand(shop: Shop, claims: Claims): Identified | Promise<Identified> {
  if (!shop.revocations.isHeard) return askRecord(shop, claims);
  const account = Joins.resolve(shop.desk.joins, claims.account);
  return speaksFor(claims, account, shop.desk.frozen.has(account));
}

async function askRecord(shop: Shop, claims: Claims): Promise<Identified> {
  // The ledger's own trouble tells at once, and without a further wait, that the database is away.
  if (!shop.lane.ready) return { kind: 'unknown' };
  const { jti, sid, account } = claims;
  try {
    const [isRevoked, standing] = await Promise.all([
      shop.revocations.has([jti, sid]),
      shop.accounts.standing(account),
    ]);
    if (isRevoked) return { kind: 'revoked' };
    return speaksFor(claims, standing, await shop.accounts.isFrozen(standing));
  } catch {
    return { kind: 'unknown' };
  }
}

/** Looks a key up that is not remembered. */
async function byKey(shop: Shop, header: string, digest: string, nowMs: number): Promise<Identified> {
  const key = shop.lane.ready ? await shop.keys.find(digest).catch(() => 'unknown' as const) : 'unknown';
  if (key === 'unknown') return { kind: 'unknown' };
  if (key === null) return { kind: 'invalid', reason: 'unknown_key' };
  const claims = AccountKey.claims(key, nowMs);
  return claims === null ? { kind: 'expired' } : Bearer.remember(shop.desk, header, claims);
}

function speaksFor(claims: Claims, account: string, isFrozen: boolean): Identified {
  const spoken = account === claims.account ? claims : { ...claims, account };
  return { kind: isFrozen ? 'frozen' : 'token', claims: spoken };
}
