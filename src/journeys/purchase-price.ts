import * as Money from '@sluice/kernel/money';
import type { PaidPlan } from '../catalog/plan.ts';
import type * as Order from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as Proration from '../payment/proration.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';

/** The parts of a purchase request that its price depends on. */
export type PricedRequest = {
  plan: PaidPlan;
  amount: Money.Money;
  /** Null without a bearer token; then there is no running period to replace. */
  account: string | null;
  replaces: string | null;
};

/**
 * Prices a request at `nowMs`: the amount due and the period that it buys.
 * @returns the reason as text when the plan named by `replaces` cannot be replaced
 */
export async function price(
  shop: Pick<PaymentContext, 'orders'>,
  { plan, amount, account, replaces }: PricedRequest,
  nowMs: number,
): Promise<Pick<Order.Order, 'amount' | 'period'> | string> {
  if (plan.kind === 'credit') return { amount, period: null };
  const period = { units: plan.included.amount, terms: Proration.termsOf(plan) };
  if (replaces === null) return { amount: plan.price, period };
  const running = account === null ? [] : await shop.orders.periods(account);
  const old = running.find((one) => one.plan === replaces && !one.renews);
  if (old === undefined) return 'This account has no running prepaid period of that plan';
  if (plan.price <= old.price)
    return `Only a more expensive plan can replace a running period: ${replaces} was sold for ${Money.format(old.price)} USD, and ${plan.id} costs ${Money.format(plan.price)} USD. Buy ${plan.id} without replaces to have both`;
  const credit = Proration.prorationCredit(old, nowMs);
  const less = Money.ofMicro(plan.price - credit);
  if (less < StripeCharge.amountMin)
    return `The difference is too small to be charged: the rest of ${replaces} is worth ${Money.format(credit)} USD of ${Money.format(plan.price)} USD`;
  const replaced = { order: old.order, credit };
  return { amount: less, period: { ...period, terms: { ...period.terms, replaces: replaced } } };
}
