import type { Money } from '@sluice/kernel/money';
import type { BillingDetails } from './billing-details.ts';
import type { FailedSetup, ReadCharge } from './card-attempt.ts';
import type { Fee } from './fee.ts';
import type { FraudSignal } from './fraud-signal.ts';
import type { Order } from './order.ts';
import type { Reversal } from './reversal.ts';
import type { PaidCard, SavedCard } from './saved-card.ts';
import type { AskedChange, Invoice, SoldPlan, SubscriptionState } from './subscription.ts';
import type { TaxLocation } from './tax.ts';

/** A payment as read from the processor, never as copied from a webhook event. */
export type Payment = {
  id: string;
  order: string | null;
  /** The challenge that it was charged for; null for a payment on the hosted page. */
  challengeId: string | null;
  /** `failed`: final, and nothing was taken. `pending`: the outcome is open. */
  state: 'succeeded' | 'failed' | 'pending';
  /** Including tax. */
  received: Money;
  /** The tax in `received`. `page`: read it with `taxOnPage`. Absent when there is none. */
  tax?: Money | 'page';
  /** True when the processor made an invoice for it. */
  isInvoiced?: boolean;
  failure: string | null;
  /** The on-chain transaction that made it. */
  transaction?: string;
  /** The charge that made it, with its assessment; absent where it was not read. */
  charge?: ReadCharge;
};

/** A payment with the metadata that was attached when it was charged. */
export type ListedPayment = Payment & {
  plan: string | null;
  account: string | null;
  /** The public URL of the shop that took it, from its metadata; null when it has none, as payments of invoices. */
  shop: string | null;
  /** Made by another shop, or by another use of the same processor account. */
  isForeign: boolean;
  /** The terms of the period that it pays; null for credit. */
  period: Order['period'];
};

export type ChargeOutcome =
  | { kind: 'succeeded'; payment: Payment }
  /** Certainly not charged. `reason` is for the buyer. `detail` is for the log, and set when the fault may be ours. */
  | { kind: 'declined'; reason: string; detail: string | null }
  /**
   * Certainly not charged by this attempt, and not the buyer's fault. `retries`: the fault is temporary and the shop tries again;
   * otherwise an operator has to change something. `detail` is for the log.
   */
  | { kind: 'unavailable'; retries: boolean; detail: string }
  /** The outcome is open until a webhook event or reconciliation settles it. */
  | { kind: 'unknown' };

/** The texts and links of a hosted page. `product`: the plan's name on the page and on the invoices of a plan that renews. */
export type CheckoutPages = {
  title: string;
  product: string;
  success: string;
  cancel: string;
  /** True when the page adds tax, asks for the billing address and tax id, and makes an invoice. */
  isTaxed: boolean;
  /** The address that the page is filled in with, which its payer cannot change; null or absent for a page that asks for it. */
  email?: string | null;
};

/** A hosted payment page. */
export type Checkout = {
  session: string;
  order: string | null;
  /** The page's URL; null once it is closed. */
  url: string | null;
  /**
   * `processing`: completed with a payment that takes days (a bank debit). `failed`: that payment did not arrive.
   * `expired`: closed without a payment.
   */
  state: 'open' | 'paid' | 'processing' | 'failed' | 'expired';
  /** The one-time payment that was made on it. */
  payment: Payment | null;
  /** The paid first period of a plan that renews. */
  invoice: Invoice | null;
  /** The card that was saved on it, when it is a completed card page. */
  kept: KeptCard | null;
  /** The company that its payer entered; null or absent when there is none. */
  buyer?: BillingDetails | null;
  /** The address that the page was opened with, and shows; null or absent when there is none. */
  email?: string | null;
};

/** A card that its holder saved on a card page; `reference` identifies the purpose of the page. */
export type KeptCard = { reference: string; card: SavedCard; email: string | null; createdMs: number };

/**
 * The payer of a subscription. `email`: typed on the card page, and not proved. `card`: the card that is charged; null when it is none.
 * `unpaid`: its open invoice with tax, and when the card is charged again; null or absent when none is open.
 */
export type Payer = {
  customer: string;
  email: string | null;
  card: (Pick<SavedCard, 'brand' | 'last4'> & { expMonth: number; expYear: number }) | null;
  unpaid?: { amount: Money; nextAttemptMs: number | null } | null;
};

/** A page that saves a card and charges nothing; `message` is shown above its button. */
export type CardPage = {
  reference: string;
  /** The processor's customer that the card is saved for; null creates one. */
  customer: string | null;
  message: string;
  success: string;
  cancel: string;
  /** True when it asks for the billing address, which determines the tax on later charges. */
  isTaxed: boolean;
  /** When the page closes. Null: after the processor's day, and each request opens another page. */
  expiresMs: number | null;
};

export type WebhookEvent = {
  id: string;
  type: string;
  object:
    | { kind: 'checkout' | 'payment' | 'invoice' | 'subscription' | 'charge'; id: string }
    | { kind: 'failed_setup'; id: string; failure: FailedSetup }
    | { kind: 'fraud_signal'; id: string; signal: FraudSignal }
    | null;
};

/**
 * The connection to the processor. `refused`: it does not accept the shop's key, or the key lacks a right. In the modes `test` and `sandbox`
 * no money moves.
 */
export type ProcessorState = {
  mode: 'live' | 'test' | 'sandbox';
  state: 'works' | 'refused' | 'unreachable';
};

export type RefundOutcome =
  | { kind: 'refunded'; reversal: Reversal }
  /** Certainly nothing was refunded. `reason` is the processor's, for the seller. */
  | { kind: 'refused'; reason: string }
  /** The outcome is open: repeat the same request, or read the reversals. */
  | { kind: 'unknown' };

/** `declined`: unchanged, and nothing was charged. `reason` is for the buyer, `detail` for the log. */
export type PlanChange = { kind: 'changed' } | { kind: 'declined'; reason: string; detail: string | null };

/** Tax on an amount. `unknown`: the processor cannot calculate it for this place. */
export type TaxQuote = { kind: 'known'; tax: Money } | { kind: 'unknown'; detail: string };

/** The processor is temporarily unavailable. A request to it may have been carried out nevertheless. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorAway';
  /** The `http` module recognizes this code, like the one of an unavailable database. */
  readonly code = 'CONNECTION_PROCESSOR';
}

/** A hosted page was requested before under the same number with other facts, such as another e-mail address. Its URL may be lost. */
export class CheckoutMismatch extends Error {
  override readonly name = 'CheckoutMismatch';
}

/** The processor does not know the requested object. This is permanent, so a retry is useless. */
export class ObjectUnknown extends Error {
  override readonly name = 'ObjectUnknown';
  readonly object: string;

  constructor(object: string, options?: ErrorOptions) {
    super(`the processor knows no ${object}`, options);
    this.object = object;
  }
}

/**
 * The card processor. Every call is bounded in time. It rejects with ProcessorUnavailable when the processor cannot be reached, and with
 * ObjectUnknown when the object to read does not exist.
 */
export interface Processor {
  /** Charges a shared payment token, at most once for each challenge. Safe to repeat. */
  charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome>;
  /** Returns the digest of the card that a shared payment token charges; null when the processor does not return it. Never rejects. */
  cardOfToken(token: string): Promise<string | null>;
  /** Reads a charge with its assessment. */
  readCharge(id: string): Promise<ReadCharge>;
  /** Charges a saved card without its holder, at most once for each challenge. With `isTaxed`, adds tax by the card's billing address. */
  chargeSaved(order: Order, challengeId: string, card: SavedCard, isTaxed: boolean): Promise<ChargeOutcome>;
  /** Calculates the tax on an amount for a place. */
  quoteTax(amount: Money, place: TaxLocation): Promise<TaxQuote>;
  /** Returns the largest amount that was refused as below the processor's minimum since the process began; zero when none was. */
  refusedAsTooSmall(): Money;
  /** Returns the tax in a payment on a hosted page. */
  taxOnPage(payment: string): Promise<Money>;
  /** Returns the invoice page of a payment, or of an invoice with nothing left to pay; null when there is none. */
  invoicePage(payment: string): Promise<string | null>;
  /** Returns the card of a payment, for its receipt; null for another means, and for an invoice. Responds within a few seconds. */
  cardOfPayment(payment: string): Promise<PaidCard | null>;
  readPayment(id: string): Promise<Payment>;
  /** Lists the payments made for the order's challenge: usually one, none when the charge never arrived. */
  chargesOf(order: Order): Promise<Payment[]>;
  /** Lists every payment since then, the newest first. */
  payments(sinceMs: number): AsyncIterable<ListedPayment>;
  /** Opens the order's hosted page. A repetition returns the same page; once that is retired, another one. */
  openCheckout(order: Order, pages: CheckoutPages): Promise<Checkout>;
  /** Opens a page that saves a card. The same input returns the same page. */
  openCardPage(page: CardPage): Promise<Pick<Checkout, 'session' | 'url'> & { expiresMs: number }>;
  /** Returns the card that was saved on a completed card page; null when there is no such page, or it is not completed. */
  readCardPage(session: string): Promise<KeptCard | null>;
  /** Returns the price of a subscription per period, and its customer. */
  renewalOf(id: string): Promise<{ customer: string; amount: Money; every: string }>;
  /** Returns the payer of a subscription. */
  payerOf(id: string): Promise<Payer>;
  /** Opens the processor's page on which a customer changes cards and invoice details, and reads invoices. Returns its URL, valid for minutes. */
  openPortal(customer: string, returnUrl: string): Promise<string>;
  /** Deletes a customer with its saved cards and contact data; its subscriptions end at once. Payments stay. Safe to repeat. */
  eraseCustomer(id: string): Promise<void>;
  /** Makes a card pay for a subscription from now on, and for its open invoice at once. A decline leaves that open. Safe to repeat. */
  useCard(id: string, card: SavedCard): Promise<void>;
  readCheckout(session: string): Promise<Checkout>;
  /** Closes a hosted page, unless it was paid or a payment on it is in progress. Returns its resulting state, which is never `open`. */
  closeCheckout(session: string): Promise<Checkout>;
  /** Reads a paid invoice of one of our subscriptions; null for any other invoice. */
  readInvoice(id: string): Promise<Invoice | null>;
  /** Lists our paid invoices since then, optionally of one subscription. */
  invoices(sinceMs: number, subscription?: string): AsyncIterable<Invoice>;
  /** Reads the status of a subscription; null when it is not ours. */
  readSubscription(id: string): Promise<SubscriptionState | null>;
  /** Cancels a subscription at the end of its period, or withdraws that cancellation. */
  cancelAtPeriodEnd(id: string, cancels: boolean): Promise<SubscriptionState | null>;
  /** Cancels a subscription immediately; nothing more is charged. Safe to repeat. */
  cancelNow(id: string): Promise<void>;
  /** Voids the unpaid invoices of a subscription that has ended, drafts too, so that they can no longer be paid. Leaves one that is being paid. Safe to repeat. */
  voidUnpaid(id: string): Promise<void>;
  /** Changes the plan of a subscription, atomically and once for each change. */
  changePlan(id: string, change: AskedChange, plan: SoldPlan): Promise<PlanChange>;
  /** Lists every refund and dispute of a payment with its current status. */
  reversalsOf(payment: string): Promise<Reversal[]>;
  /** Reads the processor's fees for a payment, its refunds and disputes, and its charge. `isComplete` is false until the charge is settled. */
  feesOf(payment: string): Promise<{ fees: Fee[]; isComplete: boolean; charge: ReadCharge | null }>;
  /**
   * Refunds `amount` and its tax, once for each `key`. Safe to repeat. `sellerKey` is stored at the processor and returned with the
   * reversal.
   */
  refund(
    payment: string,
    money: { amount: Money; tax: Money },
    key: string,
    sellerKey: string | null,
  ): Promise<RefundOutcome>;
  /** Asks the processor whether it accepts the shop's key. Never rejects. */
  probe(): Promise<ProcessorState>;
  /** Returns the processor's dashboard page of a payment, for the seller; null when it has none. */
  pageOf(payment: string): string | null;
  /** Parses a signed webhook event; null when the signature is not the processor's. */
  parseWebhookEvent(body: string, signature: string): WebhookEvent | null;
}
