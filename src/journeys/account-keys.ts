import * as Money from '@sluice/kernel/money';
import * as AccountKey from '../identity/account-key.ts';
import type { IdentityContext } from '../identity/identity-context.ts';

/** A key as its owner sees it; `key` is the secret, which only the response that creates it contains. */
export type ShownKey = {
  id: string;
  name: string;
  key?: string;
  hint: string;
  created_at: string;
  expires_at: string | null;
  services: readonly string[] | null;
  budget_usd: string | null;
  /** The value of its calls in USD; null without a budget. */
  spent_usd: string | null;
};

/** Creates a key; null when the account has reached its maximum number of keys. */
export async function make(
  shop: Pick<IdentityContext, 'keys'>,
  account: string,
  terms: AccountKey.KeyLimits,
): Promise<ShownKey | null> {
  const { key, secret, digest, hint } = AccountKey.make(account, terms);
  const createdMs = await shop.keys.add(key, digest, hint);
  if (createdMs === null) return null;
  return { ...show({ ...key, hint, createdMs, spent: Money.zero }), key: secret };
}

/** Creates the key that a new account gets in place of an access token: for all services, without a budget or an end. */
export function makeForRegistration(
  shop: Pick<IdentityContext, 'keys'>,
  account: string,
): Promise<ShownKey | null> {
  return make(shop, account, { name: 'Registration', budget: null, services: null, expiresMs: null });
}

export async function list(shop: Pick<IdentityContext, 'keys'>, account: string): Promise<ShownKey[]> {
  return (await shop.keys.of(account)).map(show);
}

/** Revokes a key; when this resolves, no process accepts it. Returns false when the account has no key with this id. */
export async function revoke(
  shop: Pick<IdentityContext, 'clock' | 'keys' | 'revocations'>,
  account: string,
  id: string,
): Promise<boolean> {
  if (!(await shop.keys.end(account, id))) return false;
  await shop.revocations.add({ id, revokedMs: shop.clock(), account: null });
  return true;
}

function show({
  id,
  name,
  hint,
  createdMs,
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
    services,
    budget_usd: budget && Money.format(budget),
    spent_usd: budget && Money.format(spent),
  };
}
