import type { Order } from '../payment/order.ts';
import type { Payment } from '../payment/processor.ts';
import type { Shop } from './shop.ts';

/** What the stories of money need of the shop: of paying, of paying back, of looking again. */
export type Till = Pick<
  Shop,
  'clock' | 'orders' | 'subscriptions' | 'notices' | 'processor' | 'coin' | 'report'
> & {
  readonly lane: Pick<Shop['lane'], 'touch'>;
};

/** What it takes to sell, beside the till. */
export type Counter = Till & Pick<Shop, 'publicUrl' | 'catalog' | 'challengeSecrets' | 'networkId'>;

/**
 * The one step in which every way of paying ends: the payment is there, so its lot is. Repeats change nothing.
 * Returns the order's account; null where nothing is paid, or not what the order asked for: then a person has to look.
 */
export async function settle(shop: Till, order: Order, payment: Payment): Promise<string | null> {
  if (payment.state !== 'succeeded') return null;
  if (payment.received !== order.amount) {
    const { received } = payment;
    shop.report('payment_mismatch', {
      order: order.id,
      payment: payment.id,
      ordered: order.amount,
      received,
    });
    return null;
  }
  const account = await shop.orders.grant(order, payment);
  if (account !== null) shop.lane.touch(account);
  return account;
}
