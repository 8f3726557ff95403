import type { Money } from '@sluice/kernel/money';

/**
 * The processor's sign that a payment may be fraudulent: a warning by the card's issuer, or a review that a rule or a person opened. It
 * moves no money; a dispute often follows an early fraud warning.
 */
export type FraudSignal = {
  /** The processor's object, `issfr_...` or `prv_...`. */
  id: string;
  kind: 'early_fraud_warning' | 'review';
  /** The processor's payment. */
  payment: string;
  /** True while the seller can act on it. A closed signal never opens again. */
  isOpen: boolean;
  /** The issuer's classification of the fraud, or why the review was opened or closed. */
  reason: string;
};

/** A signal with the order that its payment was granted for. */
export type FlaggedOrder = FraudSignal & {
  order: string;
  account: string | null;
  email: string | null;
  amount: Money;
  createdMs: number;
};

/** Signals, by payment. */
export interface FraudSignals {
  /** Stores a signal. Events may arrive in any order: a closed signal stays closed. Returns the order when an open signal is new. */
  record(signal: FraudSignal): Promise<string | null>;
  /** All signals of a payment, the oldest first. */
  of(payment: string): Promise<FraudSignal[]>;
  /** Open signals of granted orders, the newest first, at most `max`. */
  open(max: number): Promise<FlaggedOrder[]>;
}
