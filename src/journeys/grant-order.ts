import * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { Payment } from '../payment/processor.ts';

/** Returns the tax in a payment, from the payment itself or from its hosted page. */
export async function taxIn(
  { processor }: Pick<PaymentContext, 'processor'>,
  { id, tax = Money.zero }: Payment,
): Promise<Money.Money> {
  return tax === 'page' ? processor.taxOnPage(id) : tax;
}

/**
 * Grants an order its lot for a payment. Every way of paying ends in this step. Safe to repeat.
 * Returns the order's account; null when nothing was paid, or another amount than the order's, which an operator has to resolve.
 */
export async function settle(shop: PaymentContext, order: Order, payment: Payment): Promise<string | null> {
  if (payment.state !== 'succeeded') return null;
  const tax = await taxIn(shop, payment);
  if (payment.received !== order.amount + tax) {
    const { received } = payment;
    shop.report('payment_mismatch', {
      order: order.id,
      payment: payment.id,
      ordered: order.amount,
      tax,
      received,
    });
    return null;
  }
  const account = await shop.orders.grant(order, { ...payment, tax });
  if (account !== null) shop.writer.touch(account);
  // The charge succeeded after it was given up, so the page may be open again. A payment on it would buy another lot of that value.
  if (payment.challengeId !== null && order.checkoutSession !== null)
    await shop.processor.closeCheckout(order.checkoutSession).catch(() => undefined);
  return account;
}
