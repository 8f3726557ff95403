import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import { lifeMs, type Order } from '../../src/payment/order.ts';

/** Returns an order of 5.00 USD that is about to be charged, for tests of the processor alone. */
export function unpaidOrder(over: Partial<Order> = {}): Order {
  return {
    id: id('pur'),
    state: 'claimed',
    account: null,
    plan: 'credit',
    amount: Money.ofCents(500),
    tax: Money.zero,
    taxQuote: null,
    isInvoiced: false,
    returnUrl: null,
    challengeId: id('challenge'),
    checkoutSession: null,
    pagesClosed: 0,
    pageBrowser: null,
    payment: null,
    transaction: null,
    signedPayment: null,
    isQueued: false,
    period: null,
    rail: 'card',
    doubted: false,
    savedCard: null,
    periodStartMs: null,
    periodEndMs: null,
    failure: null,
    createdMs: Date.now(),
    expiresMs: Date.now() + lifeMs,
    claimedMs: Date.now(),
    grantedMs: null,
    ...over,
  };
}
