import * as Money from '@sluice/kernel/money';
import * as AccountKey from '../identity/account-key.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import { can, type Role } from '../identity/team/role.ts';

/** A key as its owner sees it; `key` is the secret, which only the response that creates it contains. */
export type ShownKey = {
  id: string;
  name: string;
  key?: string;
  hint: string;
  created_at: string;
  expires_at: string | null;
  /** `paused`: it cannot call, because the role of the person who created it no longer includes calls. */
  state: 'active' | 'paused';
  /** The address of the person who created it; null for the account's own tokens, and for a person who was removed. */
  created_by: string | null;
  services: readonly string[] | null;
  budget_usd: string | null;
  /** The value of its calls in USD; null without a budget. */
  spent_usd: string | null;
};

/** Returns the creator of a key that a session creates. */
export function creatorOf(member: { id: string; role: Role } | null): AccountKey.Creator | null {
  return member && { ...member, epoch: null };
}

/** Creates a key; null when the account has reached its maximum number of keys. */
export async function make(
  shop: Pick<IdentityContext, 'keys'>,
  account: string,
  creator: AccountKey.Creator | null,
  terms: AccountKey.KeyLimits,
): Promise<ShownKey | null> {
  const { key, secret, digest, hint } = AccountKey.make(account, creator, terms);
  const createdMs = await shop.keys.add(key, digest, hint);
  if (createdMs === null) return null;
  return { ...show({ ...key, hint, createdMs, spent: Money.zero, creatorEmail: null }), key: secret };
}

/** Creates the key that a new account gets in place of an access token: for all services, without a budget or an end. */
export function makeForRegistration(
  shop: Pick<IdentityContext, 'keys'>,
  account: string,
): Promise<ShownKey | null> {
  return make(shop, account, null, { name: 'Registration', budget: null, services: null, expiresMs: null });
}

/** @param creator with an id, only the keys that this person created */
export async function list(
  shop: Pick<IdentityContext, 'keys'>,
  account: string,
  creator: string | null,
): Promise<ShownKey[]> {
  const all = await shop.keys.of(account);
  return all.filter((key) => creator === null || key.creator?.id === creator).map(show);
}

/**
 * Revokes a key; when this resolves, no process accepts it. Returns false when the account has no key with this id.
 * @param creator with an id, only a key that this person created
 */
export async function revoke(
  shop: Pick<IdentityContext, 'clock' | 'keys' | 'revocations'>,
  account: string,
  id: string,
  { creator, by }: { creator: string | null; by: string },
): Promise<boolean> {
  if (!(await shop.keys.end(account, id, creator, by))) return false;
  await shop.revocations.add({ id, revokedMs: shop.clock(), account: null });
  return true;
}

function show({
  id,
  name,
  hint,
  createdMs,
  creator,
  creatorEmail,
  expiresMs,
  services,
  budget,
  spent,
}: AccountKey.ListedKey): ShownKey {
  return {
    id,
    name,
    hint: `slk_...${hint}`,
    created_at: new Date(createdMs).toISOString(),
    expires_at: expiresMs === null ? null : new Date(expiresMs).toISOString(),
    state: can(creator?.role ?? null, 'call') ? 'active' : 'paused',
    created_by: creatorEmail,
    services,
    budget_usd: budget && Money.format(budget),
    spent_usd: budget && Money.format(spent),
  };
}
