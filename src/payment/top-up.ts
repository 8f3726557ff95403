import type { CreditPlan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';
import type { Order } from './order.ts';
import type { SavedCard } from './saved-card.ts';
import * as Wish from './wish.ts';

/** What its owner agrees to: whenever less than `below` is left, `amount` is charged, in a month never more than `monthlyMax`. */
export type Terms = { below: Money.Money; amount: Money.Money; monthlyMax: Money.Money };

/** The automatic top-ups of an account. `stopped`: by a card that was declined, or money that went back, until they are agreed to anew. */
export type TopUp = Terms & {
  state: 'on' | 'off' | 'stopped';
  /** Why they stopped. */
  reason: string | null;
  card: SavedCard;
  /** What was charged in this calendar month (UTC), or may have been. */
  chargedThisMonth: Money.Money;
};

/** Agreements to top-ups, and the orders that come of them. Every method may be repeated, in several processes at once. */
export interface TopUps {
  /** Null where the account has never agreed to any. */
  of(account: string): Promise<TopUp | null>;
  agree(account: string, plan: string, terms: Terms, card: SavedCard): Promise<void>;
  end(account: string): Promise<void>;
  /** Accounts that seem to need one. */
  due(): Promise<string[]>;
  /** The order of a top-up that the account needs now, claimed by this process; null where it needs none, or may not have it. */
  claim(account: string): Promise<Order | null>;
  /** Orders whose charge nobody works on and that were last tried a while ago. */
  inDoubt(): Promise<Order[]>;
  /** Paid orders of an account whose cards may have been kept: those that a person paid on a page, the newest first. */
  paidOnPages(account: string): Promise<Order[]>;
}

/** `off`: none from now on. */
export type Asked = { kind: 'off' } | { kind: 'on'; terms: Terms } | { kind: 'fault'; faults: Wish.Fault[] };

const members = ['below_usd', 'amount_usd', 'monthly_max_usd'] as const;

/** Reads the body of `PUT /account/auto-top-up`; `{}` and `{"enabled": false}` end them. */
export function parse(body: unknown, plan: CreditPlan): Asked {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'fault', faults: [{ field: 'body', message: 'Must be a JSON object' }] };
  const given = body as Record<string, unknown>;
  const known = [...members, 'enabled'];
  const faults = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => Wish.unknownField(name, known));
  if (given.enabled !== undefined && typeof given.enabled !== 'boolean')
    faults.push({ field: 'enabled', message: 'Must be true or false' });
  if (faults.length > 0) return { kind: 'fault', faults };
  if (given.enabled === false || Object.keys(given).length === 0) return { kind: 'off' };

  const [below, amount, monthlyMax] = members.map((field) => {
    const value = typeof given[field] === 'string' ? Money.parse(given[field]) : null;
    if (value === null || value === 0 || Money.toCents(value) === null)
      faults.push({ field, message: 'Must be an amount in USD in whole cents, as a string such as "5.00"' });
    return value ?? Money.zero;
  }) as [Money.Money, Money.Money, Money.Money];
  if (faults.length > 0) return { kind: 'fault', faults };
  const range = `${Money.format(plan.min)} to ${Money.format(plan.max)}`;
  if (amount < plan.min || amount > plan.max)
    faults.push({ field: 'amount_usd', message: `Must be from ${range}` });
  if (below > amount)
    faults.push({ field: 'below_usd', message: 'Must be at most amount_usd: one charge is to be enough' });
  if (monthlyMax < amount) faults.push({ field: 'monthly_max_usd', message: 'Must be at least amount_usd' });
  return faults.length > 0 ? { kind: 'fault', faults } : { kind: 'on', terms: { below, amount, monthlyMax } };
}
