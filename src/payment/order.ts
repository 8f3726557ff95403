import { sha256Hex } from '../kernel/digest.ts';
import type { Money } from '../kernel/money.ts';
import type { Running, Terms } from './period.ts';
import type { Reversal } from './reversal.ts';
import type { SavedCard } from './saved-card.ts';

/**
 * An order: what a buyer was offered, and what became of it (docs/purchase.md).
 *
 * - `offered`: priced, nobody charged. May be paid by a credential (which claims it first) or on its hosted page.
 * - `claimed`: a credential's charge is under way, or in doubt. Never charged under another key.
 * - `granted`: paid, and its lot is in the ledger: one statement did both.
 * - `declined`: certainly not charged. Its hosted page may still be paid.
 */
export type Order = {
  id: string;
  state: 'offered' | 'claimed' | 'granted' | 'declined';
  /** Null until the grant where the buyer had no bearer. */
  account: string | null;
  plan: string;
  amount: Money;
  /** What it buys of a plan that is paid by the period; null where it buys credit. */
  period: { units: number; terms: Terms } | null;
  /** How it is paid; `invoice` is a renewal, `top_up` a charge that the buyer has agreed to before. */
  rail: 'card' | 'x402' | 'invoice' | 'top_up';
  /** When the period that it paid ends; null before the grant, and for credit. */
  periodEndMs: number | null;
  returnUrl: string | null;
  /** What a top-up is charged to. */
  savedCard: SavedCard | null;
  challengeId: string | null;
  checkoutSession: string | null;
  /** What the payment is called where it was made. */
  payment: string | null;
  failure: string | null;
  createdMs: number;
  /** Until then its hosted page may be opened. */
  expiresMs: number;
  claimedMs: number | null;
  /** Whether an attempt to charge it ended without an outcome: what a later one says of itself says nothing of that. */
  doubted: boolean;
  grantedMs: number | null;
};

/** How long the hosted page of an order may be opened. With `pageGraceMs` it stays below the day that the processor allows. */
export const lifeMs = 23 * 60 * 60 * 1000;
/** A page that was opened in the last moment can be paid for so long: the processor keeps none for less than half an hour. */
export const pageGraceMs = 31 * 60 * 1000;

/** The account that an order makes where its buyer has none: the same one, however often it is granted. */
export function ownAccount({ id }: Pick<Order, 'id'>): string {
  return `acc_${sha256Hex(`account of ${id}`).slice(0, 32)}`;
}

export type Claim = {
  /** `claimed`: ours to charge. `busy`: another process charges. `in_doubt`: charged perhaps, and nobody is at it. Else how the order ended. */
  standing: 'claimed' | 'busy' | 'in_doubt' | 'granted' | 'declined' | 'unknown';
  /** Whether this is the credential that the order belongs to: the first that came. */
  own: boolean;
};

/** Orders, kept for good once claimed. Every method may be repeated. */
export interface Orders {
  offer(
    order: Pick<Order, 'id' | 'account' | 'plan' | 'amount' | 'period' | 'rail' | 'returnUrl' | 'expiresMs'>,
  ): Promise<void>;
  find(id: string): Promise<Order | null>;
  /** Every order that was granted since then. */
  grantedSince(sinceMs: number): AsyncIterable<Order>;
  /** The periods of an account that run now, with what is left of them. */
  periods(account: string): Promise<Running[]>;
  /** The orders that an account has paid, the newest first, at most `limit`, after the order `after`. */
  paidFor(account: string, after: string | null, limit: number): Promise<Order[]>;
  /** Orders that somebody began to pay, of one account or of all, the newest first, at most `limit`, after the order `after`. */
  begun(account: string | null, after: string | null, limit: number): Promise<Order[]>;
  /** The order that a payment was granted for; an order that was paid twice is two. */
  paidBy(payment: string): Promise<Order | null>;
  /**
   * Numbers a look at what has gone back of a granted order, and is called before the processor is asked: of two looks
   * at once the later one is written. Null where the order is not granted.
   */
  look(id: string): Promise<number | null>;
  /** Writes all that a look found, and moves the credit accordingly. False where a later look has been written. */
  reverse(id: string, look: number, found: readonly Reversal[]): Promise<boolean>;
  /** What of an order went back and was not there to be taken; what calls under way have set aside may still come. */
  lossOf(id: string): Promise<Money>;
  /** What has gone back of an order, as last seen. */
  reversalsOf(id: string): Promise<Reversal[]>;
  /** Before anyone is charged; also takes over, for the same credential, a claim that nobody works on. */
  claim(id: string, challengeId: string, credentialDigest: string): Promise<Claim>;
  /** Gives up a claim as it was read, if its charge is still open. */
  release(order: Order): Promise<void>;
  /** Books a payment and its lot, once for each payment, and ends its charge. Returns the account; the order's own is made where there is none. */
  grant(order: Order, payment: { id: string; challengeId: string | null }): Promise<string | null>;
  /**
   * Ends a claim as it was read, whose charge certainly did not happen; `subjects` are who that counts against.
   * False where this did not decline the order: it is granted, or the claim is another's by now.
   */
  decline(order: Order, failure: string, subjects: readonly string[]): Promise<boolean>;
  /** Names the order's hosted page; null once it has closed and been looked at for the last time. */
  attachCheckout(id: string, session: string | null): Promise<void>;
  /** Orders with an open charge that no live process works on: a crash or a lost answer came between. */
  inDoubt(): Promise<Order[]>;
  /** Orders whose hosted page has closed and is still named: its payment may have gone unheard. */
  closedPages(nowMs: number): Promise<Order[]>;
  /** Writes down, for the seller, why an open order cannot be ended; null once it could be looked at. */
  puzzle(id: string, reason: string | null): Promise<void>;
  /** When the `nth` newest decline of one of these subjects was, the latest such moment over them; null where none is since `sinceMs`. */
  nthDecline(subjects: readonly string[], nth: number, sinceMs: number): Promise<number | null>;
  /** Forgets offers that nobody took and that can no longer be paid. */
  sweep(nowMs: number): Promise<void>;
}

/** The processor's notices, each once, for good. */
export interface Notices {
  /** Writes it down; false when it has been worked off before. */
  record(id: string, type: string): Promise<boolean>;
  done(id: string): Promise<void>;
  /** Why it could not be worked off, for the seller; the processor sends it again. */
  failed(id: string, reason: string): Promise<void>;
}
