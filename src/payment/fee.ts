import type { Money } from '@sluice/kernel/money';

/**
 * One movement of the shop's balance at the processor, and its cost there. Amounts are in micro-units of `currency`, the
 * account's payout currency: micro-dollars for a shop that settles in US dollars.
 */
export type Fee = {
  /** The processor's balance transaction. */
  id: string;
  kind: 'charge' | 'refund' | 'dispute';
  currency: string;
  /** Negative where money leaves. */
  amount: Money;
  /** Everything that the processor kept, including tax on its fees; for a dispute, the fee of the dispute. */
  fee: Money;
  /** The part of `fee` that is tax. */
  tax: Money;
  /** `amount` less `fee`: the change of the balance. */
  net: Money;
  atMs: number;
};

/** The fees since a point in time, in one currency. */
export type FeeSum = {
  currency: string;
  kind: Fee['kind'];
  count: number;
  amount: Money;
  fee: Money;
  tax: Money;
  net: Money;
};

/** The record of fees. Every method is safe to repeat. */
export interface Fees {
  /** Lists a few payments whose fees are unread, incomplete, or older than their last refund or dispute. */
  due(): Promise<string[]>;
  /** Stores the fees of a payment. `isComplete`: the processor has settled all of it. */
  record(payment: string, fees: readonly Fee[], isComplete: boolean): Promise<void>;
  of(payment: string): Promise<Fee[]>;
  sums(sinceMs: number): Promise<FeeSum[]>;
}
