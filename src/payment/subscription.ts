import type { Money } from '@sluice/kernel/money';
import type { InvoiceLine, PeriodTerms, ReplacedPeriod } from './proration.ts';

/** A plan that is paid by the period: either renewed by the processor, or one prepaid period. */
export type Subscription = {
  id: string;
  account: string;
  plan: string;
  /** `past_due`: the renewal is not paid yet; the units remain usable in the days of grace. */
  status: SubscriptionStatus;
  renews: boolean;
  startMs: number;
  endMs: number;
  /** The time at which it ended; null or absent before. */
  endedMs?: number | null;
  /** True when it ends with its period. */
  cancelAtPeriodEnd: boolean;
  /** The plan of the next period, when it is another one. */
  nextPlan: string | null;
  /** The page to pay its open invoice; null when none is open. */
  payUrl: string | null;
};
export type SubscriptionStatus = 'active' | 'past_due' | 'canceled' | 'expired';

/** Returns true when the processor will or may charge further periods. */
export function isLive({ renews, status }: Subscription): boolean {
  return renews && status !== 'canceled' && status !== 'expired';
}

/** Returns true when it will be charged at the end of its period. */
export function willRenew(one: Subscription): boolean {
  return isLive(one) && !one.cancelAtPeriodEnd;
}

/** Returns true while its period runs, or its renewal is still to be paid. */
export function isRunning(one: Subscription, nowMs: number): boolean {
  return one.status === 'past_due' || willRenew(one) || one.endMs > nowMs;
}

/** Returns true when its period is over and its renewal is neither paid nor refused: the processor charges it about an hour later. */
export function isDue(one: Subscription, nowMs: number): boolean {
  return willRenew(one) && one.status === 'active' && one.endMs <= nowMs;
}

/** Returns true when its renewal is not paid: refused, or not charged yet. */
export function isOwed(one: Subscription, nowMs: number): boolean {
  return one.status === 'past_due' || isDue(one, nowMs);
}

/** The next event of a subscription: a charge at the end of its period, a second charge of its open renewal, its end, or none. */
export type Outlook = 'renews' | 'past_due' | 'ends' | 'ended';

/** Returns the next event of a subscription. */
export function outlook(one: Subscription): Outlook {
  if (!isLive(one)) return 'ended';
  if (!willRenew(one)) return 'ends';
  return one.status === 'past_due' ? 'past_due' : 'renews';
}

/** A paid invoice of a subscription: one period. */
export type Invoice = {
  id: string;
  /** The order that began the subscription. */
  order: string;
  /** Made by another shop, or by another use of the same processor account. It is recorded only when its order is known here. */
  isForeign: boolean;
  /** True when it pays that order's own period. */
  isFirst: boolean;
  /** The change of plan that it pays; null for any other period. */
  change: string | null;
  subscription: string;
  /** The id of the payment, or of the invoice itself when nothing was left to pay. */
  payment: string;
  /** ISO 4217, lower case. Only `usd` is accepted as a payment here. */
  currency: string;
  /** Without tax, as whole cents of `currency`. */
  paid: Money;
  /** The tax that was paid on top. */
  tax: Money;
  /** Its lines, for the receipt; null or absent when they are not all known. */
  lines?: readonly InvoiceLine[] | null;
  plan: string;
  units: number;
  terms: PeriodTerms;
  startMs: number;
  endMs: number;
};

/** The status of a subscription at the processor. */
export type SubscriptionState = {
  id: string;
  status: SubscriptionStatus;
  cancelAtPeriodEnd: boolean;
  /** The plan that it is set to. */
  plan: string;
  /** The last change of plan that was made to it; null when there was none. */
  change: string | null;
  /** The page to pay its open invoice, with any card and with 3-D Secure; null when none is open. */
  payUrl: string | null;
  /** The payer's email address at the processor; null when it has none. */
  payerEmail: string | null;
  endedMs: number | null;
};

/** A plan as the processor sells it: its name on invoices, and the content of a period. */
export type SoldPlan = { plan: string; product: string; units: number; terms: PeriodTerms };

/**
 * A change of plan that is requested from the processor under an id of its own. It is immediate when it `replaces` a running period: the rest of
 * that is credited, and its units that are used meanwhile are deducted from the new ones. Null: it takes effect with the next period.
 */
export type AskedChange = { id: string; plan: string; replaces: ReplacedPeriod | null };
/** `isMade`: it was made before, so that it must not be requested again. */
export type OpenChange = AskedChange & { subscription: string; askedMs: number; isMade: boolean };

/** The record of subscriptions. Every method is safe to repeat. */
export interface Subscriptions {
  /** Lists the current and recently ended subscriptions of an account, the latest period first. */
  of(account: string): Promise<Subscription[]>;
  find(id: string): Promise<Subscription | null>;
  /** Finds the renewing subscription of which an order paid a period; null when there is none. */
  paidBy(order: string): Promise<Subscription | null>;
  /** Records a paid invoice, which begins a period and grants its units. Returns the account; null when the order is unknown. */
  book(invoice: Invoice): Promise<string | null>;
  /** Allocates a sequence number for reading a subscription. Call it before asking the processor. Returns null when none of its periods was paid. */
  nextSyncSeq(id: string): Promise<number | null>;
  /** Stores the status that was read. Returns false when a later read has been stored. */
  storeState(look: number, standing: SubscriptionState): Promise<boolean>;
  /** Records a change before it is requested. Returns the change that is open already, or that has replaced the same period, when there is one. */
  beginChange(id: string, change: AskedChange): Promise<OpenChange>;
  /** Ends a change with its known outcome: made, or certainly not made. */
  endChange(change: string, outcome: 'made' | 'failed'): Promise<void>;
  /** Lists the changes without a known outcome, optionally of one subscription. */
  openChanges(subscription?: string): Promise<OpenChange[]>;
  /** Lists unpaid subscriptions whose payer was not notified yet. `key` opens their page (PlanHolder). `usableUntilMs`: the end of the days of grace. */
  takeUnnotifiedPastDue(): Promise<{ one: Subscription; to: string; key: string; usableUntilMs: number }[]>;
  markPastDueNotified(id: string): Promise<void>;
  /** Takes the renewing subscriptions that are paid with an address, for a mail with links. Returns none when such a mail was sent recently. */
  takeForLinks(email: string): Promise<{ one: Subscription; key: string }[]>;
  byKey(key: string): Promise<Subscription | null>;
  /**
   * Finds accounts with two renewing subscriptions of one plan, now or from the next period, and returns for each the earliest subscription that
   * renews beside an `earlier` one. `account` null searches all accounts.
   */
  renewingTwice(
    account: string | null,
  ): Promise<{ id: string; account: string; plan: string; earlier: string }[]>;
  /** Lists the subscriptions that were due for renewal before `ms` without any event. */
  overdue(ms: number): Promise<string[]>;
}
