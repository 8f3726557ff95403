import type { Money } from '../kernel/money.ts';

/**
 * An order: what a buyer was offered, and what became of it.
 *
 * - `offered`: priced, nobody charged. May be paid by a credential (which claims it first) or on its hosted page.
 * - `claimed`: one credential owns it, and its charge is under way, done or in doubt. Never charged under another key.
 * - `granted`: paid, and its lot is in the ledger: one statement did both.
 * - `declined`: certainly not charged.
 */
export type Order = {
  id: string;
  state: 'offered' | 'claimed' | 'granted' | 'declined';
  /** Null until the grant where the buyer had no bearer. */
  account: string | null;
  plan: string;
  amount: Money;
  returnUrl: string | null;
  challengeId: string | null;
  checkoutSession: string | null;
  paymentIntent: string | null;
  failure: string | null;
  createdMs: number;
  expiresMs: number;
  claimedMs: number | null;
  grantedMs: number | null;
};

/** How long an order may be paid on its hosted page. */
export const lifeMs = 24 * 60 * 60 * 1000;

/** Orders, kept for good once claimed. Every method may be repeated. */
export interface Orders {
  offer(order: Pick<Order, 'id' | 'account' | 'plan' | 'amount' | 'returnUrl' | 'expiresMs'>): Promise<void>;
  find(id: string): Promise<Order | null>;
  /**
   * Before anyone is charged: `claimed` for the first credential, `same` for that one again, `taken` for any other,
   * `unknown` where there is no such order.
   */
  claim(
    id: string,
    challengeId: string,
    credentialDigest: string,
  ): Promise<'claimed' | 'same' | 'taken' | 'unknown'>;
  /** Books the payment and its lot, once for each payment. Returns the account; `newAccount` is made where there is none. */
  grant(id: string, paymentIntent: string, newAccount: string): Promise<string | null>;
  /** Ends a claimed order that was certainly not charged; `subjects` are who the decline counts against. */
  decline(id: string, failure: string, subjects: readonly string[]): Promise<void>;
  attachCheckout(id: string, session: string): Promise<void>;
  /** Orders claimed before a moment and not ended: a crash came between. */
  unfinished(claimedBeforeMs: number): Promise<Order[]>;
  /** How many charges of any of these subjects were declined since a moment. */
  declines(subjects: readonly string[], sinceMs: number): Promise<number>;
  /** Forgets offers that nobody took and that can no longer be paid. */
  sweep(nowMs: number): Promise<void>;
}

/** The processor's notices, each once, for good. */
export interface Notices {
  /** Writes it down; false when it has been worked off before. */
  record(id: string, type: string): Promise<boolean>;
  done(id: string): Promise<void>;
}
