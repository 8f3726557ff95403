import type * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as Reversal from '../payment/reversal.ts';

/**
 * Synchronizes the credit of a payment with its refunds and disputes. It reads their current state from the processor instead of applying
 * events, so it can be called in any order and any number of times. A payment without an order here is ignored. The adapter decides which
 * disputes count, such as lost ones (`adapters/stripe/reversals.ts`); the SQL function `shop.apply_reversals` takes the credit.
 */
export async function syncReversals(
  shop: Pick<PaymentContext, 'orders' | 'processor' | 'writer'>,
  payment: string,
): Promise<void> {
  const order = await shop.orders.paidBy(payment);
  const number = order && (await shop.orders.nextSyncSeq(order.id));
  if (order === null || number === null) return;
  const found = await shop.processor.reversalsOf(payment);
  // Most payments are never reversed, so there is nothing to write.
  if (found.length === 0 && (await shop.orders.reversalsOf(order.id)).length === 0) return;
  await shop.orders.reverse(order.id, number, Reversal.split(found, order));
  if (order.account !== null) shop.writer.touch(order.account);
}

/** Returns the recorded net amount of an order's reversals. */
export async function reversedAmount(
  shop: Pick<PaymentContext, 'orders'>,
  { id, amount }: Order,
): Promise<Money.Money> {
  return Reversal.totalReversed(await shop.orders.reversalsOf(id), amount);
}
