import * as AccountKey from '../identity/account-key.ts';
import * as Bearer from '../identity/bearer.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import * as Joins from '../identity/joined-accounts.ts';
import type { Claims } from '../identity/jwt.ts';
import { denial } from '../identity/permission.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';

/** The dependencies of identifying a caller. While the ledger is not ready, the database is not asked. */
export type CallerContext = IdentityContext & { readonly writer: Pick<LedgerContext['writer'], 'ready'> };

/**
 * `frozen`: the seller has restricted the account to read-only requests. `forbidden`: the role of the person does not allow calls. `unknown`: the token is genuine, but its revocation
 * cannot be checked now.
 */
export type IdentifiedCaller =
  | Bearer.Bearer
  | { kind: 'frozen'; claims: Claims }
  | { kind: 'forbidden'; claims: Claims }
  | { kind: 'unknown' };

/** Why a caller may not continue what it has begun: a WebSocket, or a stream that costs more. */
export type CallerEnd = 'account_frozen' | 'role_not_allowed' | 'token_invalid';

/** Returns why a caller, identified again, may not continue for `account`, or null. A state that cannot be determined now changes nothing. */
export function endOf(caller: IdentifiedCaller, account: string): CallerEnd | null {
  if (caller.kind === 'unknown') return null;
  if (caller.kind === 'frozen') return 'account_frozen';
  if (caller.kind === 'forbidden') return 'role_not_allowed';
  return caller.kind === 'token' && caller.claims.account === account ? null : 'token_invalid';
}

/** Like `endOf`, for a stream before it holds more. One that outlives its token continues, as a call does that was begun in time. */
export function streamEndOf(caller: IdentifiedCaller, account: string): CallerEnd | null {
  return caller.kind === 'expired' ? null : endOf(caller, account);
}

/**
 * Identifies the sender of an Authorization header: the account of the token, or the one that it has joined since. Revocations and joins
 * apply in every process at once: a process that is disconnected from their notifications asks the database. Synchronous for a cached token.
 */
export function identify(
  shop: CallerContext,
  header: string | undefined,
  nowMs: number,
): IdentifiedCaller | Promise<IdentifiedCaller> {
  const known = header === undefined ? null : Bearer.fromCache(shop.tokenVerifier, header, nowMs);
  return known === null ? authenticateUncached(shop, header, nowMs) : resolveIdentity(shop, known);
}

/** Identifies a caller again whose body took up to half a minute. Returns its state when its rights ended meanwhile, otherwise null. */
export async function endedMeanwhile(
  shop: CallerContext,
  header: string | undefined,
): Promise<Exclude<IdentifiedCaller, { kind: 'token' | 'expired' }> | null> {
  const caller = await identify(shop, header, shop.clock());
  return caller.kind === 'token' || caller.kind === 'expired' ? null : caller;
}

/** Authenticates a caller whose token is not cached. */
async function authenticateUncached(
  shop: CallerContext,
  header: string | undefined,
  nowMs: number,
): Promise<IdentifiedCaller> {
  const digest = header === undefined ? null : AccountKey.digestIn(header);
  const bearer: IdentifiedCaller =
    digest !== null && header !== undefined
      ? await byKey(shop, header, digest, nowMs)
      : await Bearer.verify(shop.tokenVerifier, header, nowMs);
  return bearer.kind === 'token' ? resolveIdentity(shop, bearer.claims) : bearer;
}

/** Resolves the current account and state of the claims. */
function resolveIdentity(shop: CallerContext, claims: Claims): IdentifiedCaller | Promise<IdentifiedCaller> {
  if (!shop.revocations.isConnected) return askRecord(shop, claims);
  const account = Joins.resolve(shop.tokenVerifier.joins, claims.account);
  return asIdentity(claims, account, shop.tokenVerifier.frozen.has(account));
}

async function askRecord(shop: CallerContext, claims: Claims): Promise<IdentifiedCaller> {
  // The state of the ledger shows at once, without another wait, that the database is unavailable.
  if (!shop.writer.ready) return { kind: 'unknown' };
  const { jti, sid, holder, account } = claims;
  try {
    const [isRevoked, standing] = await Promise.all([
      shop.revocations.has([jti, sid, holder]),
      shop.accounts.resolveAccount(account),
    ]);
    if (isRevoked) return { kind: 'revoked' };
    return asIdentity(claims, standing, await shop.accounts.isFrozen(standing));
  } catch {
    return { kind: 'unknown' };
  }
}

/** Looks up a key that is not cached. */
async function byKey(
  shop: CallerContext,
  header: string,
  digest: string,
  nowMs: number,
): Promise<IdentifiedCaller> {
  const key = shop.writer.ready ? await shop.keys.find(digest).catch(() => 'unknown' as const) : 'unknown';
  if (key === 'unknown') return { kind: 'unknown' };
  if (key === null) return { kind: 'invalid', reason: 'unknown_key' };
  const claims = AccountKey.claims(key, nowMs);
  return claims === null ? { kind: 'expired' } : Bearer.remember(shop.tokenVerifier, header, claims);
}

function asIdentity(claims: Claims, account: string, isFrozen: boolean): IdentifiedCaller {
  const spoken = account === claims.account ? claims : { ...claims, account };
  const { member, isApplication } = spoken;
  const caller = { isFrozen, isKey: spoken.key !== undefined, isApplication, role: member?.role ?? null };
  const denied = denial(caller, 'call');
  if (denied === null) return { kind: 'token', claims: spoken };
  return { kind: denied === 'frozen' ? 'frozen' : 'forbidden', claims: spoken };
}
