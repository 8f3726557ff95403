import { createHmac } from 'node:crypto';

/** Returns the id of an account for upstreams. */
export type CallerId = (account: string) => string;

/** Accounts whose id is kept in memory, because each call needs it. */
const keptMax = 10_000;

/**
 * Returns a function that derives a stable, opaque id of an account: 32 hexadecimal digits. Without the shop's secret it cannot be traced to
 * the account, computed for another one, or matched with the id of the same buyer in another shop.
 */
export function pairwise(secret: string): CallerId {
  const kept = new Map<string, string>();
  return (account) => {
    const known = kept.get(account);
    if (known !== undefined) return known;
    const id = createHmac('sha256', secret).update(`caller:${account}`).digest('hex').slice(0, 32);
    if (kept.size >= keptMax) kept.clear();
    kept.set(account, id);
    return id;
  };
}
