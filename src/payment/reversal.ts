import * as Money from '@sluice/kernel/money';
import * as CreditGrant from './credit-grant.ts';
import type { PeriodTerms } from './proration.ts';
import * as Proration from './proration.ts';
import type * as PurchaseInput from './purchase-input.ts';

/** Returned money: a refund by the seller, or a dispute by the cardholder. */
export type Reversal = {
  /** The processor's object, `re_...` or `dp_...`, one for each reversal. */
  id: string;
  kind: 'refund' | 'dispute';
  /** Without tax. Before `split` it is the processor's amount, with tax. */
  amount: Money.Money;
  /** The tax that is returned with it. Before `split` it is known only for refunds that were requested here. */
  tax?: Money.Money;
  /** The processor's status. */
  status: string;
  /** True when the money has left the shop. It becomes false again when a refund fails or a dispute is won. */
  isEffective: boolean;
  reason: string | null;
  /** The time until which the seller can respond to a dispute; absent or null when none is known. */
  dueMs?: number | null;
  /** The seller's idempotency key, for a refund that was requested here with one. */
  key: string | null;
};

/** A reversal that is stored, with the time when it was first seen, and that of the last change of its status or amount. */
export type StoredReversal = Reversal & { createdMs: number; updatedMs: number };

/** The payment of an order: its amount, and the tax on top. */
type Paid = { amount: Money.Money; tax: Money.Money };

const microPerCent = 10_000;

/** Maximum length of a seller's key. */
export const keyCharsMax = 100;

/**
 * A seller's instruction to refund `amount` of an order, or everything that was not refunded yet when it is null; once for each `key`.
 * `byHand`: the seller has already returned it from their own wallet; `reference` identifies that payment, such as a transaction hash.
 */
export type RefundInstruction = {
  order: string;
  amount: Money.Money | null;
  key: string | null;
  /** The effect on a subscription when the order paid one of its periods: it ends, unless the seller keeps it. */
  subscription: 'end' | 'keep';
  byHand?: { reference: string | null } | null;
  /** The total that was returned when the seller decided. If it differs by now, nothing is refunded. Null or absent: whatever was returned. */
  returnedBefore?: Money.Money | null;
};

/** Maximum length of the reference of a manual refund. */
export const referenceCharsMax = 200;

/** The result of recording a manual refund. `remaining`: the amount that can still be refunded. */
export type ManualRefundResult =
  | { kind: 'recorded' | 'mismatch'; reversal: string; amount: Money.Money; remaining: Money.Money }
  | { kind: 'too_much' | 'changed'; remaining: Money.Money }
  | { kind: 'unknown_order' | 'not_paid' | 'not_coin' };

/** Returns true for a refund that the seller sent from their own wallet; its `reason` is the reference of that payment. */
export function isByHand({ status }: Pick<Reversal, 'status'>): boolean {
  return status === 'sent_by_hand';
}

/** Reads `sent_by_hand` and `reference`; null when the processor makes the refund. */
export function readByHand(
  given: CreditGrant.BodyFields,
  faults: PurchaseInput.FieldFault[],
): { reference: string | null } | null {
  const { sent_by_hand = false, reference = null } = given;
  if (typeof sent_by_hand !== 'boolean')
    faults.push({ field: 'sent_by_hand', message: 'Must be true or false' });
  const isText =
    typeof reference === 'string' && reference.length > 0 && reference.length <= referenceCharsMax;
  if (reference !== null && !isText)
    faults.push({ field: 'reference', message: `Must be a text of 1 to ${referenceCharsMax} characters` });
  return sent_by_hand === true ? { reference: isText ? reference : null } : null;
}

/**
 * Parses a refund: `purchase`; optionally `amount_usd` in whole cents, `key`, `subscription` (`end` or `keep`), and `sent_by_hand` and
 * `reference` for a refund that the seller made manually.
 */
export function parse(
  body: unknown,
): { kind: 'instruction'; instruction: RefundInstruction } | CreditGrant.InvalidInput {
  const faults: PurchaseInput.FieldFault[] = [];
  const given = CreditGrant.membersOf(
    body,
    ['purchase', 'amount_usd', 'key', 'subscription', 'sent_by_hand', 'reference'],
    faults,
  );
  const { purchase, amount_usd, key = null, subscription = 'end' } = given;
  const byHand = readByHand(given, faults);
  const amount = amount_usd === undefined ? null : Money.parse(String(amount_usd));
  if (typeof purchase !== 'string') faults.push({ field: 'purchase', message: 'Required: pur_...' });
  if (amount_usd !== undefined && (!amount || Money.toCents(amount) === null))
    faults.push({ field: 'amount_usd', message: 'Must be an amount in USD in whole cents' });
  const isKey = typeof key === 'string' && key.length > 0 && key.length <= keyCharsMax;
  if (key !== null && !isKey)
    faults.push({ field: 'key', message: `Must be a text of 1 to ${keyCharsMax} characters` });
  const isKept = readSubscriptionEffect(subscription, faults);
  if (faults.length > 0 || typeof purchase !== 'string') return { kind: 'fault', faults };
  return {
    kind: 'instruction',
    instruction: { order: purchase, amount, key: isKey ? key : null, subscription: isKept, byHand },
  };
}

/** Reads the effect on a subscription; the default is `end`. */
export function readSubscriptionEffect(
  given: unknown,
  faults: PurchaseInput.FieldFault[],
): RefundInstruction['subscription'] {
  if (given === undefined || given === 'end' || given === 'keep') return given ?? 'end';
  faults.push({ field: 'subscription', message: 'Must be end or keep' });
  return 'end';
}

/** Returns true for an inquiry of the buyer's bank: it has taken no money, and a dispute can follow it. */
export function isInquiry({ kind, status }: Pick<Reversal, 'kind' | 'status'>): boolean {
  return kind === 'dispute' && status.startsWith('warning_');
}

/** Returns true while the bank has not ended its inquiry. */
export function isOpenInquiry(one: Pick<Reversal, 'kind' | 'status'>): boolean {
  return isInquiry(one) && one.status !== 'warning_closed';
}

/** Returns true for a refund that the processor has not completed yet. It can still fail. */
export function isPending({ kind, status }: Pick<Reversal, 'kind' | 'status'>): boolean {
  return kind === 'refund' && ['pending', 'requires_action'].includes(status);
}

/** The state of a payment after its refunds and disputes. */
export type Standing = {
  /** A dispute has taken the money back. */
  isDisputed: boolean;
  /** A dispute has ended with the loss of the payment. */
  isLost: boolean;
  /** The buyer's bank asks about it. */
  hasInquiry: boolean;
  /** A refund is not completed yet. */
  isPending: boolean;
};

/** Returns the state of a payment with these refunds and disputes. */
export function standingOf(reversals: readonly Reversal[]): Standing {
  return {
    isDisputed: reversals.some(({ kind, isEffective }) => kind === 'dispute' && isEffective),
    isLost: reversals.some(({ kind, status }) => kind === 'dispute' && status === 'lost'),
    hasInquiry: reversals.some(isOpenInquiry),
    isPending: reversals.some(isPending),
  };
}

/** Returns the total of a payment's effective reversals, at most the paid amount. */
export function totalReversed(reversals: readonly Reversal[], paid: Money.Money): Money.Money {
  const gone = reversals.reduce((sum, { amount, isEffective }) => sum + (isEffective ? amount : 0), 0);
  return Math.min(gone, paid) as Money.Money;
}

/** Returns the amount of a payment that can still be refunded, without tax. */
export function refundable(reversals: readonly Reversal[], paid: Money.Money): Money.Money {
  return Money.ofMicro(Math.max(0, paid - totalReversed(reversals, paid)));
}

/** Returns the amount that a refund form suggests: what the buyer asked for in an open request, otherwise all that can be refunded. */
export function suggestedRefund(
  left: Money.Money,
  request: { state: string; amount: Money.Money } | null,
): Money.Money {
  return request?.state === 'open' ? Money.ofMicro(Math.min(request.amount, left)) : left;
}

/** Returns the tax to refund with `net` when `gone` was refunded before: in proportion, in whole cents; the last refund returns all remaining tax. */
export function taxToRefund(order: Paid, gone: { net: number; tax: number }, net: number): Money.Money {
  const left = Math.max(0, order.tax - gone.tax);
  if (gone.net + net >= order.amount) return Money.ofMicro(left);
  return Money.ofMicro(Math.min(left, wholeCents((order.tax * net) / order.amount)));
}

/**
 * Splits each reversal into net amount and tax. The tax of a refund that was requested here is known. Any other reversal gets the order's
 * proportional tax, or all remaining tax when it returns the whole remainder.
 */
export function split(found: readonly Reversal[], order: Paid): (Reversal & { tax: Money.Money })[] {
  const gone = { net: 0, tax: 0 };
  const parts = new Map<string, Money.Money>();
  const known = ({ tax }: Reversal) => (tax === undefined ? 1 : 0);
  for (const one of found.toSorted((a, b) => known(a) - known(b))) {
    const isRest = one.amount >= order.amount + order.tax - gone.net - gone.tax;
    const share = wholeCents((one.amount * order.tax) / Math.max(1, order.amount + order.tax));
    const left = Math.max(0, order.tax - gone.tax);
    const tax = one.tax ?? Money.ofMicro(isRest ? left : Math.min(left, share));
    parts.set(one.id, tax);
    if (!one.isEffective) continue;
    gone.net += one.amount - tax;
    gone.tax += tax;
  }
  return found.map((one) => {
    const tax = parts.get(one.id) ?? Money.zero;
    return { ...one, amount: Money.ofMicro(one.amount - tax), tax };
  });
}

/** Returns the total tax of a payment's effective reversals, at most the paid tax. */
export function totalTaxReversed(reversals: readonly Reversal[], paid: Money.Money): Money.Money {
  const gone = reversals.reduce((sum, { tax = Money.zero, isEffective }) => sum + (isEffective ? tax : 0), 0);
  return Math.min(gone, paid) as Money.Money;
}

function wholeCents(micro: number): number {
  return Math.round(micro / microPerCent) * microPerCent;
}

/** The effect of a refund on an order's credit: `taken` is removed; `missing` was spent already and is the seller's loss. */
export type RefundEffect = { asset: 'usd' | 'unit'; taken: number; missing: number };

/**
 * Calculates the effect of a refund of `amount` on the order's credit, in its asset, when `gone` was refunded before and `unspent` remains.
 * Included units are converted at the price of the period, rounded in the buyer's favour.
 */
export function refundEffect(
  { period }: { period: { terms: PeriodTerms } | null },
  gone: Money.Money,
  amount: Money.Money,
  unspent: Money.Money,
): RefundEffect {
  const bought = (money: number) =>
    period === null ? money : Math.floor(Proration.share(period.terms.units, money, period.terms.price));
  const due = bought(gone + amount) - bought(gone);
  const taken = Math.min(due, bought(unspent));
  return { asset: period === null ? 'usd' : Proration.assetOf(period.terms), taken, missing: due - taken };
}
