import type { SubscriptionPlan } from '../catalog/plan.ts';
import type { Money } from '../kernel/money.ts';
import type { Order } from './order.ts';
import type { Reversal } from './reversal.ts';
import type { SavedCard } from './saved-card.ts';
import type { Invoice, Standing } from './subscription.ts';

/** A payment as the processor knows it, read anew, never taken from a notice. */
export type Payment = {
  id: string;
  order: string | null;
  /** The challenge that it was charged for; null for a payment on the hosted page. */
  challengeId: string | null;
  /** `failed`: over, and nothing was taken. `pending`: anything may still come of it. */
  state: 'succeeded' | 'failed' | 'pending';
  received: Money;
  failure: string | null;
};

/** A payment with what its order said of itself when it was charged: for which plan, and for whom. */
export type Listed = Payment & { plan: string | null; account: string | null };

export type ChargeOutcome =
  | { kind: 'succeeded'; payment: Payment }
  /** Certainly not charged. `reason` is fit for the buyer, `detail` for the log: there where it may be our own mistake. */
  | { kind: 'declined'; reason: string; detail: string | null }
  /** Nobody knows yet: the notice or the reconciler will. */
  | { kind: 'unknown' };

/** A hosted payment page. */
export type Checkout = {
  session: string;
  order: string | null;
  /** Where it can be paid; null once it is closed. */
  url: string | null;
  /** What was paid on it, once. */
  payment: Payment | null;
  /** What was paid on it as the first period of a plan that renews. */
  invoice: Invoice | null;
};

export type Notice = {
  id: string;
  type: string;
  object: { kind: 'checkout' | 'payment' | 'invoice' | 'subscription'; id: string } | null;
};

export type RefundOutcome =
  | { kind: 'refunded'; reversal: Reversal }
  /** Certainly nothing went back. `reason` is the processor's, for the seller. */
  | { kind: 'refused'; reason: string }
  /** Nobody knows yet: ask again in the same words, or look. */
  | { kind: 'unknown' };

/** `declined`: it stays as it was, and nothing was charged. `reason` is fit for the buyer, `detail` for the log. */
export type PlanChange = { kind: 'changed' } | { kind: 'declined'; reason: string; detail: string | null };

/** The processor is out of reach or out of order, which passes. What was asked of it may have been done all the same. */
export class ProcessorAway extends Error {
  override readonly name = 'ProcessorAway';
  /** By this the edge knows it, as it knows a database that is away. */
  readonly code = 'CONNECTION_PROCESSOR';
}

/** The card processor. Every call is bounded in time, and rejects with ProcessorAway where it is not there. */
export interface Processor {
  /** Charges a shared payment token, once for each challenge, however often it is asked to. */
  charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome>;
  /** Charges a card that was kept, without its holder, once for each challenge. */
  chargeSaved(order: Order, challengeId: string, card: SavedCard): Promise<ChargeOutcome>;
  /** The card that paid, where its holder let it be kept; else null. */
  savedCard(payment: string): Promise<SavedCard | null>;
  readPayment(id: string): Promise<Payment>;
  /** What the charge of the order's challenge has come to: most often one payment, none where it never arrived. */
  chargesOf(order: Order): Promise<Payment[]>;
  /** Every payment that was made since then, the newest first. */
  payments(sinceMs: number): AsyncIterable<Listed>;
  /** Opens the order's hosted page; the same page when repeated. */
  openCheckout(order: Order, pages: { title: string; success: string; cancel: string }): Promise<Checkout>;
  readCheckout(session: string): Promise<Checkout>;
  /** An invoice of a subscription of ours that is paid; null for any other. */
  readInvoice(id: string): Promise<Invoice | null>;
  /** Every invoice of ours that was paid since then; of one subscription where it is named. */
  invoices(sinceMs: number, subscription?: string): AsyncIterable<Invoice>;
  /** How a subscription stands; null where it is none of ours. */
  readSubscription(id: string): Promise<Standing | null>;
  /** Ends a subscription with its period, or lets it go on after all. */
  cancelAtPeriodEnd(id: string, cancels: boolean): Promise<Standing | null>;
  /**
   * Sets a subscription to another plan: at once, in a new period that costs less by `credit`, or with its next period where there is
   * none. Once for each `key`.
   */
  changePlan(id: string, plan: SubscriptionPlan, credit: Money | null, key: string): Promise<PlanChange>;
  /** Every refund and dispute of a payment, as they stand. */
  reversalsOf(payment: string): Promise<Reversal[]>;
  /** Sends money of a payment back, once for each `key`, however often it is asked to. `sellerKey` is found again in what went back. */
  refund(payment: string, amount: Money, key: string, sellerKey: string | null): Promise<RefundOutcome>;
  /** Where the seller sees a payment at the processor, with its refunds and disputes; null where it has no such pages. */
  pageOf(payment: string): string | null;
  /** Reads a signed notice; null when the signature is not the processor's. */
  readNotice(body: string, signature: string): Notice | null;
}
