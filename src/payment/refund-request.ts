import * as Money from '@sluice/kernel/money';
import type { Texts } from '../text/texts.ts';
import * as CreditGrant from './credit-grant.ts';
import type * as PurchaseInput from './purchase-input.ts';

export const states = ['open', 'declined', 'refunded'] as const;
export type RefundRequestState = (typeof states)[number];

/** A buyer's request for a refund, and its outcome. */
export type RefundRequest = {
  purchase: string;
  account: string;
  plan: string;
  /** The net price of the purchase, and the tax that was paid on top. */
  paid: Money.Money;
  paidTax: Money.Money;
  /** The net amount that the buyer asks for, and the tax that is refunded with it. */
  amount: Money.Money;
  tax: Money.Money;
  /** The unspent part of the purchase. A refund above it is the seller's loss. */
  unspent: Money.Money;
  reason: string;
  askedMs: number;
  state: RefundRequestState;
  /** The net amount and the tax that were refunded since the request. */
  refunded: Money.Money;
  refundedTax: Money.Money;
  /** The seller's reason for declining, and its time. */
  answer: string | null;
  declinedMs: number | null;
};

/** A request in a list, with the buyer's email address. */
export type ListedRefundRequest = RefundRequest & { email: string | null };

/** The record of refund requests, at most one for each purchase. Each method is safe to repeat. */
export interface RefundRequests {
  /** Stores a request. Returns false when the purchase already has one, which is left unchanged. */
  ask(purchase: string, amount: Money.Money, reason: string): Promise<boolean>;
  find(purchase: string): Promise<RefundRequest | null>;
  /** Lists the requests of an account, the newest first. */
  of(account: string): Promise<RefundRequest[]>;
  /** Lists the requests in `state`, or all, the newest first, at most `limit`, after that of the purchase `after`. */
  list(state: RefundRequestState | null, after: string | null, limit: number): Promise<ListedRefundRequest[]>;
  /** Declines a request with a reason for the buyer. Returns false when it is not open. `who` is for the audit log. */
  decline(purchase: string, answer: string, who: string): Promise<boolean>;
  /** Takes requests that the seller was not notified of yet. Those that are not marked as notified in time are returned again. */
  takeUnnotified(): Promise<RefundRequest[]>;
  markNotified(purchase: string): Promise<void>;
}

/** Maximum length of a buyer's reason and of the seller's answer, in characters. */
export const textCharsMax = 1_000;

/** `amount` null: everything that was not refunded yet. */
export type RefundRequestInput = { reason: string; amount: Money.Money | null };
type Faulty = { kind: 'fault'; faults: readonly PurchaseInput.FieldFault[] };

/** Parses a buyer's request: `reason`, and optionally `amount_usd`. */
export function parse(texts: Texts, body: unknown): ({ kind: 'asking' } & RefundRequestInput) | Faulty {
  const faults: PurchaseInput.FieldFault[] = [];
  const members = CreditGrant.membersOf(body, ['reason', 'amount_usd'], faults);
  const reason = readText(texts, members, 'reason', faults);
  const amount = readAmount(texts, members, faults);
  return faults.length > 0 ? { kind: 'fault', faults } : { kind: 'asking', reason, amount };
}

/** Reads a text for people: 1 to `textCharsMax` characters, without control characters and surrounding space. */
export function readText(
  texts: Texts,
  members: CreditGrant.BodyFields,
  field: string,
  faults: PurchaseInput.FieldFault[],
): string {
  const text = String(members[field] ?? '')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  if (typeof members[field] === 'string' && text !== '' && text.length <= textCharsMax) return text;
  faults.push({ field, message: texts.text('fault.text', { maximum: texts.decimal(String(textCharsMax)) }) });
  return '';
}

/** Reads `amount_usd`, in whole cents, as cards are charged; null when it is absent. */
export function readAmount(
  texts: Texts,
  { amount_usd }: CreditGrant.BodyFields,
  faults: PurchaseInput.FieldFault[],
): Money.Money | null {
  if (amount_usd === undefined) return null;
  const amount = typeof amount_usd === 'string' ? Money.parse(amount_usd) : null;
  if (amount !== null && amount > 0 && Money.toCents(amount) !== null) return amount;
  faults.push({ field: 'amount_usd', message: texts.text('fault.amount_in_cents') });
  return null;
}
