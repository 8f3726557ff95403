import * as Bearer from '../identity/bearer.ts';
import type { Shop } from './shop.ts';

/** `unknown`: the token is genuine, but nobody can say now whether it has been revoked. */
export type Identified = Bearer.Bearer | { kind: 'unknown' };

/** Who sent this Authorization header. Revocations count in every process at once: one that hears of none asks the record. */
export async function identify(shop: Shop, header: string | undefined): Promise<Identified> {
  const nowMs = shop.clock();
  const known = header === undefined ? null : Bearer.recall(shop.desk, header, nowMs);
  const bearer: Bearer.Bearer = known
    ? { kind: 'token', claims: known }
    : await Bearer.verify(shop.desk, header, nowMs);
  if (bearer.kind !== 'token' || shop.revocations.isHeard) return bearer;
  // The ledger's own trouble tells at once, and without a further wait, that the database is away.
  if (!shop.lane.ready) return { kind: 'unknown' };
  const { jti, sid } = bearer.claims;
  return shop.revocations.has([jti, sid]).then(
    (revoked) => (revoked ? { kind: 'revoked' } : bearer),
    () => ({ kind: 'unknown' }),
  );
}
