import * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as Reversal from '../payment/reversal.ts';
import { taxDue } from './refund.ts';
import * as RefundedSubscription from './refunded-subscription.ts';
import type { SellerContext } from './seller-context.ts';

/** The effects of a refund that has not been made yet. */
export type PossibleRefund = {
  kind: 'possible';
  /** The amount of the refund, and the tax that is returned with it. */
  refunded: Money.Money;
  tax: Money.Money;
  effect: Reversal.RefundEffect;
  /** The credit of the purchase that the buyer keeps, in its asset. */
  kept: number;
  /** The amount that was returned so far. */
  returned: Money.Money;
  /** The time of the last of these refunds and disputes; null without any. */
  returnedMs: number | null;
  /** True when the refund answers the buyer's open request. */
  answersRequest: boolean;
  ending: RefundedSubscription.SubscriptionEnd | null;
};
export type RefundPreview = PossibleRefund | { kind: 'too_much'; left: Money.Money };

/** Computes what was returned of an order so far, and the end of its subscription if the rest is refunded too. */
export async function previewRest(
  shop: Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions'>,
  order: Order,
): Promise<{ reversed: Money.Money; ending: RefundedSubscription.SubscriptionEnd | null }> {
  const reversed = Reversal.totalReversed(await shop.orders.reversalsOf(order.id), order.amount);
  const isWhole = reversed >= order.amount;
  return { reversed, ending: isWhole ? null : await RefundedSubscription.endingOf(shop, order, Money.zero) };
}

/** Computes the effects of refunding `amount` of an order: the credit that is removed, the loss, and the end of its subscription. */
export async function preview(
  shop: Pick<SellerContext, 'console' | 'refundRequests'> &
    Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions'>,
  order: Order,
  amount: Money.Money,
): Promise<RefundPreview> {
  const [reversals, lot] = await Promise.all([
    shop.orders.reversalsOf(order.id),
    shop.console.revenueReport.lotOf(order.id),
  ]);
  const reversed = Reversal.totalReversed(reversals, order.amount);
  const effective = reversals.filter(({ isEffective }) => isEffective);
  const left = Reversal.refundable(reversals, order.amount);
  if (order.state !== 'granted' || amount > left) return { kind: 'too_much', left };
  const request = await shop.refundRequests.find(order.id);
  const effect = Reversal.refundEffect(order, reversed, amount, lot?.unspent ?? Money.zero);
  return {
    kind: 'possible',
    refunded: amount,
    tax: taxDue(order, reversals, amount),
    returned: reversed,
    returnedMs: effective.length === 0 ? null : Math.max(...effective.map(({ createdMs }) => createdMs)),
    effect,
    kept: Math.max(0, (lot?.remaining ?? 0) - effect.taken),
    answersRequest: request?.state === 'open',
    ending: await RefundedSubscription.endingOf(shop, order, Money.ofMicro(left - amount)),
  };
}
