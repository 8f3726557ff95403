import * as Reversal from '../../../journeys/sync-reversals.ts';
import type { Order } from '../../../payment/order.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import { needsResponse } from '../pages/dispute.ts';
import type { ListedOrder } from '../pages/orders.ts';

/** Adds what has come back of an order's money. */
export async function listedOrder(shop: Pick<PaymentContext, 'orders'>, order: Order): Promise<ListedOrder> {
  const [reversed, reversals] = await Promise.all([
    Reversal.reversedAmount(shop, order),
    shop.orders.reversalsOf(order.id),
  ]);
  const isDisputed = reversals.some(({ kind, isEffective }) => kind === 'dispute' && isEffective);
  const isLost = reversals.some(({ kind, status }) => kind === 'dispute' && status === 'lost');
  return { order, reversed, isDisputed, isLost, dispute: reversals.find(needsResponse) ?? null };
}
