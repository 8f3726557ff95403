import * as Money from '../kernel/money.ts';
import * as Gift from './gift.ts';
import type * as Wish from './wish.ts';

export const states = ['open', 'declined', 'refunded'] as const;
export type State = (typeof states)[number];

/** What a buyer asks to have back of a purchase, and what became of it. */
export type RefundRequest = {
  purchase: string;
  account: string;
  plan: string;
  /** What the purchase cost, and what is asked back of it. */
  paid: Money.Money;
  amount: Money.Money;
  /** What of the purchase is not spent: the rest of a refund would be the seller's loss. */
  unspent: Money.Money;
  reason: string;
  askedMs: number;
  state: State;
  /** What went back since it was asked. */
  refunded: Money.Money;
  /** Why the seller declined, and when. */
  answer: string | null;
  declinedMs: number | null;
};

/** The record of refund requests: one for each purchase, for good. Each method may be repeated. */
export interface RefundRequests {
  /** Writes a request down. False where the purchase has one, which stays as it is. */
  ask(purchase: string, amount: Money.Money, reason: string): Promise<boolean>;
  find(purchase: string): Promise<RefundRequest | null>;
  /** Those of an account, the newest first. */
  of(account: string): Promise<RefundRequest[]>;
  /** Those in `state`, or all, the newest first, at most `limit`, after that of the purchase `after`. */
  list(state: State | null, after: string | null, limit: number): Promise<RefundRequest[]>;
  /** Declines one with a reason for the buyer. False where it is not open. `who`: for the audit log. */
  decline(purchase: string, answer: string, who: string): Promise<boolean>;
  /** Takes those that the seller has not been told of yet; who does not say `told` in time leaves them to the next. */
  takeUntold(): Promise<RefundRequest[]>;
  told(purchase: string): Promise<void>;
}

/** Characters of a buyer's reason, and of the seller's answer. */
export const textCharsMax = 1_000;

/** `amount` null: all that has not gone back yet. */
export type Asking = { reason: string; amount: Money.Money | null };
type Faulty = { kind: 'fault'; faults: readonly Wish.Fault[] };

/** Reads what a buyer asks: `reason`, and `amount_usd` where it is not all. */
export function parse(body: unknown): ({ kind: 'asking' } & Asking) | Faulty {
  const faults: Wish.Fault[] = [];
  const members = Gift.membersOf(body, ['reason', 'amount_usd'], faults);
  const reason = readText(members, 'reason', faults);
  const amount = readAmount(members, faults);
  return faults.length > 0 ? { kind: 'fault', faults } : { kind: 'asking', reason, amount };
}

/** A text for a person: no control characters, at least one other, at most `textCharsMax`. */
export function readText(members: Gift.Fields, field: string, faults: Wish.Fault[]): string {
  const text = String(members[field] ?? '')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  if (typeof members[field] === 'string' && text !== '' && text.length <= textCharsMax) return text;
  faults.push({ field, message: `Required: a text of 1 to ${textCharsMax} characters` });
  return '';
}

/** `amount_usd`, in whole cents as cards are charged; null where nothing is said. */
export function readAmount({ amount_usd }: Gift.Fields, faults: Wish.Fault[]): Money.Money | null {
  if (amount_usd === undefined) return null;
  const amount = typeof amount_usd === 'string' ? Money.parse(amount_usd) : null;
  if (amount !== null && amount > 0 && Money.toCents(amount) !== null) return amount;
  faults.push({ field: 'amount_usd', message: 'Must be an amount in USD in whole cents, such as "1.50"' });
  return null;
}
