import { sha256Hex } from '@sluice/kernel/digest';
import { slotDigits } from '@sluice/kernel/id';
import { type Money, ofMicro } from '@sluice/kernel/money';
import type { BillingDetails } from './billing-details.ts';
import type { PeriodTerms, RunningPeriod } from './proration.ts';
import type { Replacements } from './replacement.ts';
import type { ManualRefundResult, Reversal, StoredReversal } from './reversal.ts';
import type { SavedCard } from './saved-card.ts';
import type { QuotedTax } from './tax.ts';
import type { SignedPayment } from './x402/signed-payment.ts';

/**
 * An order: the offer that a buyer received, and its outcome (docs/purchase.md).
 *
 * - `offered`: priced, not charged. It can be paid by a credential (which claims it first) or on its hosted page.
 * - `claimed`: a credential's charge or a slow payment on the hosted page is in progress or in doubt. It is never charged under another key.
 * - `granted`: paid, and its lot is in the ledger; both were written by one statement.
 * - `declined`: certainly not charged. It can still be paid on a hosted page.
 */
export type Order = {
  id: string;
  state: 'offered' | 'claimed' | 'granted' | 'declined';
  /** Null until the grant when the buyer sent no bearer token. */
  account: string | null;
  plan: string;
  /** Without tax. The granted credit depends only on this amount. */
  amount: Money;
  /** The tax that was paid on top of the amount; zero before the grant. */
  tax: Money;
  /** The tax that is added when a card token is charged; null when none is calculated. */
  taxQuote: QuotedTax | null;
  /** True when the processor made an invoice for its single payment. */
  isInvoiced: boolean;
  /** The period and units that it buys; null when it buys credit. */
  period: { units: number; terms: PeriodTerms } | null;
  /** The payment rail. `invoice` is a renewal, `top_up` an automatic charge that the buyer agreed to before. */
  rail: 'card' | 'x402' | 'invoice' | 'top_up';
  /** Start of the paid period; null before the grant, and for credit. */
  periodStartMs: number | null;
  /** End of the paid period; null before the grant, and for credit. */
  periodEndMs: number | null;
  returnUrl: string | null;
  /** The card that a top-up is charged to. */
  savedCard: SavedCard | null;
  challengeId: string | null;
  /** The hosted page that can be open. */
  checkoutSession: string | null;
  /** Number of its hosted pages that have closed, which is also the number of the page that can be open. */
  pagesClosed: number;
  /** Digest of the cookie of the browser that opened the hosted page; null before it is opened. */
  pageBrowser: string | null;
  /** The id of the payment: the processor's id or, for x402, the claim key. */
  payment: string | null;
  /** The on-chain transaction of the payment, which several payments can share. Null for every other rail. */
  transaction: string | null;
  /** The signed payment of an x402 order. */
  signedPayment: SignedPayment | null;
  /** Certainly not charged yet; reconciliation retries the charge. */
  isQueued: boolean;
  failure: string | null;
  createdMs: number;
  /** Its hosted page can be opened until then. */
  expiresMs: number;
  claimedMs: number | null;
  /** True when an attempt to charge it ended without an outcome. The outcome of a later attempt does not settle the earlier one. */
  doubted: boolean;
  grantedMs: number | null;
};

/** Time in which the hosted page of an order can be opened. With `pageGraceMs` it stays below the processor's maximum of one day. */
export const lifeMs = 23 * 60 * 60 * 1000;
/** A page that is opened at the last moment can be paid for this long. The processor's minimum is half an hour. */
export const pageGraceMs = 31 * 60 * 1000;

/** Time after the payment in which the result page shows the tokens of the account that the order created. */
export const pageTokensMs = 30 * 60_000;
/** The same for a payment that took days, because its payer does not know when it arrives. */
export const slowPageTokensMs = 7 * 24 * 60 * 60_000;
/** Approximate duration of the slowest payment methods on a hosted page. */
const slowPaymentMsMax = 14 * 24 * 60 * 60_000;

/** Time in which the browser that opened a hosted page can return from it and get the tokens of its account. */
export const payerKnownMs = lifeMs + pageGraceMs + slowPaymentMsMax + slowPageTokensMs;

/** Returns true when a slow payment on the order's page is in progress. The claim of a credential closes the page, so an order with both waits for its page. */
export function isSlow({ state, checkoutSession }: Pick<Order, 'state' | 'checkoutSession'>): boolean {
  return state === 'claimed' && checkoutSession !== null;
}

/** Returns the amount that a card token is charged: the order's amount and its tax. */
export function amountDue({ amount, taxQuote }: Pick<Order, 'amount' | 'taxQuote'>): Money {
  return ofMicro(amount + (taxQuote?.tax ?? 0));
}

/** Returns the total that was paid for an order: its amount and the tax. */
export function totalPaid({ amount, tax }: Pick<Order, 'amount' | 'tax'>): Money {
  return ofMicro(amount + tax);
}

/** Returns the account that an order creates when its buyer has none. It is the same however often the order is granted, and has the order's slot. */
export function ownAccount({ id }: Pick<Order, 'id'>): string {
  return `acc_${slotDigits(id)}${sha256Hex(`account of ${id}`).slice(0, 30)}`;
}

/** Returns the reference to look a payment up by: its on-chain transaction or the processor's payment id. Null before the grant. */
export function reference({ transaction, payment }: Pick<Order, 'transaction' | 'payment'>): string | null {
  return transaction ?? payment;
}

/** Money that was returned for an order after its credit was spent. `pending`: the part that is held by calls in progress. */
export type ReversalLoss = { certain: Money; pending: Money };

export type ClaimResult = {
  /**
   * `claimed`: this process may charge. `busy`: another process is charging. `in_doubt`: perhaps charged, and no process is working on it.
   * `expired`: not claimed in time, and never charged. `frozen`: its account is frozen; never charged. Otherwise the state of the order.
   */
  outcome: 'claimed' | 'busy' | 'in_doubt' | 'granted' | 'declined' | 'expired' | 'frozen' | 'unknown';
  /** True when no earlier request has claimed the order. */
  isFirst: boolean;
};

/** The evidence with which a request asks for the tokens of the account that an order created. Digests are SHA-256 in hex. */
export type PayerEvidence = {
  /** Digest of the whole credential that the request sent; null when it sent none. */
  credentialDigest: string | null;
  /** True when the request is the one that claimed the order first. */
  isFirstClaim: boolean;
  /** Digest of the browser's cookie, for a request of the result page; null otherwise. */
  browserDigest: string | null;
};

/** The record of orders. A claimed order is never deleted. Every method is safe to repeat. */
export interface Orders extends Replacements {
  offer(
    order: Pick<
      Order,
      'id' | 'account' | 'plan' | 'amount' | 'period' | 'rail' | 'returnUrl' | 'expiresMs'
    > & {
      /** For x402: the claim key, under which there is one order, and the wallet that signed it. */
      challengeId?: string;
      payer?: string;
      taxQuote?: QuotedTax | null;
      signedPayment?: SignedPayment;
    },
  ): Promise<void>;
  find(id: string): Promise<Order | null>;
  /** Finds the order of a challenge, or of the claim key of an x402 payment. */
  findByChallenge(challengeId: string): Promise<Order | null>;
  /** Lists every order that was granted since then. */
  grantedSince(sinceMs: number): AsyncIterable<Order>;
  /** Stores the company that a payer entered on the card page, unless the account has billing details. */
  keepBuyer(account: string, details: BillingDetails): Promise<void>;
  /** Lists the running periods of an account, with their remaining units. */
  periods(account: string): Promise<RunningPeriod[]>;
  /** Lists the paid orders of an account, the newest first, at most `limit`, after the order `after`. */
  paidFor(account: string, after: string | null, limit: number): Promise<Order[]>;
  /** Lists orders with a payment attempt, of one account or of all, the newest first, at most `limit`, after the order `after`. */
  begun(account: string | null, after: string | null, limit: number): Promise<Order[]>;
  /** Finds the order that a payment was granted for. A second payment of an order is granted as an order of its own. */
  paidBy(payment: string): Promise<Order | null>;
  /**
   * Allocates a sequence number for reading the reversals of a granted order. Call it before asking the processor: of two
   * concurrent reads, the later one wins. Returns null when the order is not granted.
   */
  nextSyncSeq(id: string): Promise<number | null>;
  /** Stores the reversals that were read, and adjusts the credit. Returns false when a later read has been stored. */
  reverse(id: string, look: number, found: readonly Reversal[]): Promise<boolean>;
  /**
   * Records that the seller returned an x402 payment from their own wallet, once for each `key`, and takes its credit back. The
   * same statement writes the audit log.
   */
  recordSentByHand(
    refund: {
      order: string;
      amount: Money | null;
      key: string | null;
      reference: string | null;
      /** The total that was returned when the seller decided; null: whatever was returned. */
      returnedBefore: Money | null;
    },
    who: string,
  ): Promise<ManualRefundResult>;
  /** Returns the seller's loss from refunds and disputes of an order. */
  lossOf(id: string): Promise<ReversalLoss>;
  /** Lists the stored reversals of an order. */
  reversalsOf(id: string): Promise<StoredReversal[]>;
  /**
   * Claims an order before it is charged, and before `expiresMs` by the database's clock when that is given. Also takes over a claim
   * of the same credential that no process is working on.
   */
  claim(
    id: string,
    challengeId: string,
    credentialDigest: string,
    expiresMs?: number | null,
  ): Promise<ClaimResult>;
  /** Releases a claim in the state in which it was read, if its charge is still open. */
  release(order: Order): Promise<void>;
  /**
   * Ends a claim in the state in which it was read, when its attempt certainly charged nothing for a reason that is not the buyer's. With
   * `retries`, reconciliation tries again; otherwise the order is offered again. Returns false and changes nothing when an earlier attempt is in
   * doubt or another process has claimed the order.
   */
  undoClaim(order: Order, retries: boolean): Promise<boolean>;
  /** Claims a queued or in-doubt order to charge it without its buyer. Returns false when a process is working on it, or it has ended. */
  resume(id: string): Promise<boolean>;
  /** Records a payment and its lot, once for each payment, and ends its charge. Creates the order's account when it has none. Returns the account. */
  grant(
    order: Order,
    payment: {
      id: string;
      challengeId: string | null;
      transaction?: string;
      tax: Money;
      isInvoiced?: boolean;
    },
  ): Promise<string | null>;
  /**
   * Ends a claim in the state in which it was read, when its charge certainly did not happen. The decline counts against `subjects`.
   * Returns false when the order was not declined: it is granted, or another process has claimed it.
   */
  decline(order: Order, failure: string, subjects: readonly string[]): Promise<boolean>;
  /**
   * Decides whether a request gets the tokens of the account that a granted order created, and records it once for each order
   * (shop.issue_tokens). Returns true when this response must contain the tokens.
   */
  issueTokens(order: Order, payer: PayerEvidence): Promise<boolean>;
  /**
   * Assigns the hosted page to a browser. `seen`: the order as the caller read it, with a page that is known to be closed or with none; null
   * when the browser asks for the current page. Returns the number of pages that have closed, which is the number of this page. Returns null
   * when the page belongs to another browser, another page was opened meanwhile, or the order can no longer be paid on a page.
   */
  takePage(
    id: string,
    browserDigest: string,
    seen: Pick<Order, 'pagesClosed' | 'checkoutSession'> | null,
  ): Promise<number | null>;
  /** Stores the session of the hosted page `page` of an order. Returns false when the order can no longer be paid on it. */
  attachPage(id: string, session: string, page: number): Promise<boolean>;
  /** Marks the order's page as closed with its outcome recorded; the next page gets another number. */
  retirePage(order: Pick<Order, 'id' | 'pagesClosed'>): Promise<void>;
  /** Claims the order for a payment on that page that takes days. It cannot be paid in another way until the outcome is known. */
  claimByPage(id: string, session: string): Promise<void>;
  /** Declines the slow payment on that page; the order can be paid again. */
  declinePage(id: string, session: string, failure: string): Promise<void>;
  /** Lists the processor's sessions of an account's open hosted pages for a plan that renews, except that of order `but`. */
  openPages(account: string, plan: string, but: string): Promise<string[]>;
  /** Returns why no payment may be taken for the account of an order: the seller has frozen it, or its owner has closed it. Null when one may. */
  barOf(id: string): Promise<'frozen' | 'closed' | null>;
  /** Lists the unpaid orders of an account that have an open hosted page. */
  withOpenPage(account: string): Promise<Order[]>;
  /** Lists orders with an open charge that no live process works on, after a crash or a lost response. */
  inDoubt(): Promise<Order[]>;
  /** Lists orders whose hosted page has closed but is still recorded, because its payment may have been missed. A page with a slow payment is listed every ten minutes. */
  closedPages(nowMs: number): Promise<Order[]>;
  /** Stores, for the seller, why an open order cannot be settled; null clears the reason. */
  markUnreconciled(id: string, reason: string | null): Promise<void>;
  /** Deletes unclaimed offers that can no longer be paid. An order that ever had a hosted page is kept. */
  sweep(nowMs: number): Promise<void>;
}

/** The record of the processor's webhook events. Each event is processed once. */
export interface WebhookEvents {
  /** Stores an event. Returns false when it was processed before. */
  record(id: string, type: string): Promise<boolean>;
  done(id: string): Promise<void>;
  /** Stores, for the seller, why an event could not be processed. The processor sends it again. */
  failed(id: string, reason: string): Promise<void>;
}
