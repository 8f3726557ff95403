import type { Money } from '../kernel/money.ts';
import type { Order } from './order.ts';

/** A payment as the processor knows it, read anew, never taken from a notice. */
export type Payment = {
  id: string;
  order: string | null;
  state: 'succeeded' | 'failed' | 'pending';
  received: Money;
  failure: string | null;
};

export type ChargeOutcome =
  | { kind: 'succeeded'; payment: Payment }
  /** Certainly not charged. `reason` is fit for the buyer. */
  | { kind: 'declined'; reason: string }
  /** Nobody knows yet: the notice or the reconciler will. */
  | { kind: 'unknown' };

/** A hosted payment page. */
export type Checkout = {
  session: string;
  order: string | null;
  url: string | null;
  payment: Payment | null;
  open: boolean;
};

export type Notice = {
  id: string;
  type: string;
  object: { kind: 'checkout' | 'payment'; id: string } | null;
};

/** The card processor. Every call is bounded in time; rejections mean that it is out of reach. */
export interface Processor {
  /** Charges a shared payment token, once for each challenge. */
  charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome>;
  readPayment(id: string): Promise<Payment>;
  /** The payments that were tried for an order, newest first. */
  paymentsOf(order: Order): Promise<Payment[]>;
  /** Opens the order's hosted page; the same page when repeated. */
  openCheckout(order: Order, pages: { title: string; success: string; cancel: string }): Promise<Checkout>;
  readCheckout(session: string): Promise<Checkout>;
  /** Reads a signed notice; null when the signature is not the processor's. */
  readNotice(body: string, signature: string): Notice | null;
}
