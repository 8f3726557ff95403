import * as AccountKey from '../identity/account-key.ts';
import * as Money from '../kernel/money.ts';
import type { Shop } from './shop.ts';

/** A key as its owner sees it; `key` is the key itself, at its making alone. */
export type Shown = {
  id: string;
  name: string;
  key?: string;
  hint: string;
  created_at: string;
  expires_at: string | null;
  services: readonly string[] | null;
  budget_usd: string | null;
  /** What its calls were worth, in USD; null without a budget. */
  spent_usd: string | null;
};

/** Makes a key; null where the account has as many as it may. */
export async function make(shop: Shop, account: string, terms: AccountKey.Terms): Promise<Shown | null> {
  const { key, secret, digest, hint } = AccountKey.make(account, terms);
  const createdMs = await shop.keys.add(key, digest, hint);
  if (createdMs === null) return null;
  return { ...show({ ...key, hint, createdMs, spent: Money.zero }), key: secret };
}

export async function list(shop: Shop, account: string): Promise<Shown[]> {
  return (await shop.keys.of(account)).map(show);
}

/** Ends a key; when this resolves no process takes it any more. False where the account has none of this id. */
export async function revoke(shop: Shop, account: string, id: string): Promise<boolean> {
  if (!(await shop.keys.end(account, id))) return false;
  await shop.revocations.add({ id, revokedMs: shop.clock() });
  return true;
}

function show({ id, name, hint, createdMs, expiresMs, services, budget, spent }: AccountKey.Listed): Shown {
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
