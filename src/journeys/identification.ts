import * as Bearer from '../identity/bearer.ts';
import type { Claims } from '../identity/jwt.ts';
import * as Joins from '../identity/joins.ts';
import type { Shop } from './shop.ts';

/** `unknown`: the token is genuine, but nobody can say now whether it has been revoked. */
export type Identified = Bearer.Bearer | { kind: 'unknown' };

/**
 * Who sent this Authorization header: the account of its token, or the one which that has joined since. Revocations and
 * joins count in every process at once: one that hears of none asks the record.
 */
export async function identify(shop: Shop, header: string | undefined): Promise<Identified> {
  const nowMs = shop.clock();
  const known = header === undefined ? null : Bearer.recall(shop.desk, header, nowMs);
  const bearer: Bearer.Bearer = known
    ? { kind: 'token', claims: known }
    : await Bearer.verify(shop.desk, header, nowMs);
  if (bearer.kind !== 'token') return bearer;
  const { claims } = bearer;
  if (shop.revocations.isHeard) return speaksFor(claims, Joins.resolve(shop.desk.joins, claims.account));
  // The ledger's own trouble tells at once, and without a further wait, that the database is away.
  if (!shop.lane.ready) return { kind: 'unknown' };
  const { jti, sid, account } = claims;
  return Promise.all([shop.revocations.has([jti, sid]), shop.accounts.standing(account)]).then(
    ([revoked, standing]) => (revoked ? { kind: 'revoked' } : speaksFor(claims, standing)),
    () => ({ kind: 'unknown' }),
  );
}

function speaksFor(claims: Claims, account: string): Identified {
  return { kind: 'token', claims: account === claims.account ? claims : { ...claims, account } };
}
