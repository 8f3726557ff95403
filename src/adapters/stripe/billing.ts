import Stripe from 'stripe';
import type { SubscriptionPlan } from '../../catalog/plan.ts';
import * as Money from '../../kernel/money.ts';
import type { Order } from '../../payment/order.ts';
import * as Period from '../../payment/period.ts';
import type { PlanChange } from '../../payment/processor.ts';
import type { Invoice as PaidInvoice, Standing } from '../../payment/subscription.ts';
import * as Invoice from './invoice.ts';

const pageSize = 100;
const withPayments = ['payments'];

/** What a hosted page for a plan that renews is asked for, in place of a single payment. */
export function checkoutParams(
  order: Order,
  { units, terms }: NonNullable<Order['period']>,
  title: string,
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: cents(order.amount),
          recurring: { interval: terms.every },
          product_data: { name: title },
        },
      },
    ],
    subscription_data: {
      metadata: Invoice.metadata({
        order: order.id,
        account: order.account ?? '',
        plan: order.plan,
        units,
        terms,
      }),
    },
  };
}

export async function readInvoice(stripe: Stripe, id: string): Promise<PaidInvoice | null> {
  return Invoice.read(await stripe.invoices.retrieve(id, { expand: withPayments }));
}

export async function* invoices(
  stripe: Stripe,
  sinceMs: number,
  subscription?: string,
): AsyncGenerator<PaidInvoice> {
  const found = stripe.invoices.list({
    status: 'paid',
    created: { gte: Math.floor(sinceMs / 1000) },
    limit: pageSize,
    expand: withPayments.map((name) => `data.${name}`),
    ...(subscription !== undefined && { subscription }),
  });
  for await (const one of found) {
    const invoice = Invoice.read(one);
    if (invoice) yield invoice;
  }
}

export async function readSubscription(stripe: Stripe, id: string): Promise<Standing | null> {
  return Invoice.standing(await stripe.subscriptions.retrieve(id));
}

export async function cancelAtPeriodEnd(
  stripe: Stripe,
  id: string,
  cancels: boolean,
): Promise<Standing | null> {
  return Invoice.standing(await stripe.subscriptions.update(id, { cancel_at_period_end: cancels }));
}

/** With a credit at once, in a new period that is charged now; without one from the next period on. */
export async function changePlan(
  stripe: Stripe,
  id: string,
  plan: SubscriptionPlan,
  credit: Money.Money | null,
  key: string,
): Promise<PlanChange> {
  const subscription = await stripe.subscriptions.retrieve(id);
  // Asked again after its answer was lost, for longer than the processor knows a key.
  if (subscription.metadata.plan === plan.id) return { kind: 'changed' };
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`subscription ${id} has no item`);
  const lessCents = credit === null ? 0 : cents(credit);
  const less =
    lessCents === 0
      ? null
      : await stripe.invoiceItems.create(
          {
            customer: idOf(subscription.customer),
            subscription: id,
            amount: -lessCents,
            currency: 'usd',
            description: 'What is left of the plan before',
          },
          { idempotencyKey: `${key}_credit` },
        );
  try {
    await stripe.subscriptions.update(
      id,
      {
        items: [
          {
            id: item.id,
            price_data: {
              currency: 'usd',
              product: idOf(item.price.product),
              unit_amount: cents(plan.price),
              recurring: { interval: plan.every },
            },
          },
        ],
        metadata: {
          plan: plan.id,
          units: String(plan.included),
          terms: JSON.stringify(Period.termsOf(plan)),
        },
        cancel_at_period_end: false,
        proration_behavior: 'none',
        payment_behavior: 'error_if_incomplete',
        billing_cycle_anchor: { type: credit === null ? 'unchanged' : 'now' },
      },
      { idempotencyKey: key },
    );
    return { kind: 'changed' };
  } catch (error) {
    const isCard = error instanceof Stripe.errors.StripeCardError;
    if (!isCard && !(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    if (less) await stripe.invoiceItems.del(less.id);
    return isCard
      ? { kind: 'declined', reason: error.message, detail: null }
      : { kind: 'declined', reason: 'The card processor refuses this change.', detail: error.message };
  }
}

function cents(amount: Money.Money): number {
  const whole = Money.toCents(amount);
  if (whole === null) throw new RangeError(`${amount} micro-dollars are not whole cents`);
  return whole;
}

function idOf(object: string | { id: string }): string {
  return typeof object === 'string' ? object : object.id;
}
