import * as Reversal from '../../../journeys/sync-reversals.ts';
import type { Order } from '../../../payment/order.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import { standingOf } from '../../../payment/reversal.ts';
import { needsResponse } from '../pages/dispute.ts';
import type { ListedOrder } from '../pages/orders.ts';

/** Adds what has come back of an order's money. */
export async function listedOrder(shop: Pick<PaymentContext, 'orders'>, order: Order): Promise<ListedOrder> {
  const [reversed, reversals] = await Promise.all([
    Reversal.reversedAmount(shop, order),
    shop.orders.reversalsOf(order.id),
  ]);
  return { order, reversed, ...standingOf(reversals), dispute: reversals.find(needsResponse) ?? null };
}
