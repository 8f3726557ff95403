import { unknownFields } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import type { CreditPlan } from '../catalog/plan.ts';
import type { Texts } from '../text/texts.ts';
import type { Order } from './order.ts';
import type * as PurchaseInput from './purchase-input.ts';
import type { SavedCard } from './saved-card.ts';

/** The terms that the cardholder agrees to: when the credit falls below `below`, `amount` is charged, at most `monthlyMax` in a month. */
export type TopUpTerms = { below: Money.Money; amount: Money.Money; monthlyMax: Money.Money };

/** The terms that a form suggests to an account that never had top-ups. */
export const suggestedTerms: TopUpTerms = {
  below: Money.ofCents(100),
  amount: Money.ofCents(500),
  monthlyMax: Money.ofCents(2_000),
};

/** The automatic top-ups of an account. `stopped`: by a declined card or a reversal, until the holder agrees again. */
export type TopUp = TopUpTerms & {
  state: 'on' | 'off' | 'stopped';
  /** Why they stopped. */
  reason: string | null;
  /** When the state or the terms last changed. */
  changedMs: number;
  card: SavedCard;
  /** The charges of this calendar month (UTC), including those without a known outcome. */
  chargedThisMonth: Money.Money;
};

/** The record of top-up settings and their orders. Every method is safe to repeat, also concurrently in several processes. */
export interface TopUps {
  /** Returns null when the account never had top-ups. */
  of(account: string): Promise<TopUp | null>;
  /** Switches top-ups on. Returns false unless a cardholder has agreed to these terms or to higher ones. */
  set(account: string, plan: string, terms: TopUpTerms): Promise<boolean>;
  end(account: string): Promise<void>;
  /** Lists accounts that seem to need a top-up. */
  due(): Promise<string[]>;
  /** Creates and claims the order of a top-up that the account needs now; null when it needs none or has reached its limit. */
  claim(account: string): Promise<Order | null>;
  /** Lists orders whose charge no process is working on and whose last attempt was a while ago. */
  inDoubt(): Promise<Order[]>;
}

/** `off` ends top-ups. */
export type ParsedTopUp =
  | { kind: 'off' }
  | { kind: 'on'; terms: TopUpTerms }
  | { kind: 'fault'; faults: PurchaseInput.FieldFault[] };

const members = ['below_usd', 'amount_usd', 'monthly_max_usd'] as const;

/** Parses the body of `PUT /account/auto-top-up`; `{}` and `{"enabled": false}` end top-ups. */
export function parse(texts: Texts, body: unknown, plan: CreditPlan): ParsedTopUp {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'fault', faults: [{ field: 'body', message: texts.text('fault.json_object') }] };
  const given = body as Record<string, unknown>;
  const known = [...members, 'enabled'];
  const faults: PurchaseInput.FieldFault[] = unknownFields(Object.keys(given), known);
  if (given.enabled !== undefined && typeof given.enabled !== 'boolean')
    faults.push({ field: 'enabled', message: texts.text('fault.boolean') });
  if (faults.length > 0) return { kind: 'fault', faults };
  if (given.enabled === false || Object.keys(given).length === 0) return { kind: 'off' };

  const [below, amount, monthlyMax] = members.map((field) => {
    const value = typeof given[field] === 'string' ? Money.parse(given[field]) : null;
    if (value === null || value === 0 || Money.toCents(value) === null)
      faults.push({ field, message: texts.text('fault.amount_in_cents_string') });
    return value ?? Money.zero;
  }) as [Money.Money, Money.Money, Money.Money];
  if (faults.length > 0) return { kind: 'fault', faults };
  if (amount < plan.min || amount > plan.max)
    faults.push({ field: 'amount_usd', message: rangeFault(texts, plan) });
  const added = { amount: texts.decimal(Money.format(amount)) };
  if (below > amount) faults.push({ field: 'below_usd', message: texts.text('fault.below_max', added) });
  if (monthlyMax < amount)
    faults.push({
      field: 'monthly_max_usd',
      message: texts.text('fault.at_least_amount', added),
    });
  return faults.length > 0 ? { kind: 'fault', faults } : { kind: 'on', terms: { below, amount, monthlyMax } };
}

function rangeFault(texts: Texts, { min, max }: CreditPlan): string {
  const written = (money: Money.Money) => texts.decimal(Money.format(money));
  return texts.text('fault.amount_range', { minimum: written(min), maximum: written(max) });
}
