import type * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { Order } from '../../payment/order.ts';
import { type CheckoutPages, type PlanChange, ProcessorUnavailable } from '../../payment/processor.ts';
import type {
  AskedChange,
  Invoice as PaidInvoice,
  SoldPlan,
  SubscriptionState,
} from '../../payment/subscription.ts';
import * as Invoice from './invoice.ts';
import { companyFields, taxedPage } from './payment-params.ts';
import { type PlanPrices, wholeCents } from './plan-price.ts';
import type { ShopMark } from './shop-mark.ts';

const pageSize = 100;
const withPayments = ['payments'];
const withInvoice = ['latest_invoice'];
/** Stripe neither finalizes nor charges such an invoice by itself. */
const uncollected = { auto_advance: false };

/** Builds the parameters of the hosted page for a plan that renews, which replace those of a single payment. */
export async function checkoutParams(
  prices: PlanPrices,
  order: Order,
  { units, terms }: NonNullable<Order['period']>,
  { product, isTaxed }: Pick<CheckoutPages, 'product' | 'isTaxed'>,
  mark: ShopMark,
): Promise<Stripe.Checkout.SessionCreateParams> {
  const { replaces: _, ...renewing } = terms;
  return {
    mode: 'subscription',
    line_items: [
      { quantity: 1, price: await prices.of({ plan: order.plan, product, units, terms: renewing }) },
    ],
    subscription_data: {
      metadata: Invoice.metadata({ order: order.id, account: order.account ?? '' }, mark),
    },
    ...companyFields,
    ...(isTaxed && taxedPage),
  };
}

export async function readInvoice(
  stripe: Stripe,
  prices: PlanPrices,
  id: string,
  mark: ShopMark,
): Promise<PaidInvoice | null> {
  return Invoice.read(await stripe.invoices.retrieve(id, { expand: withPayments }), prices, mark);
}

/** Returns the last attempt to pay an invoice, or null when there was none. */
export async function readAttempt(stripe: Stripe, invoice: string): Promise<Stripe.PaymentIntent | null> {
  const { payments } = await stripe.invoices.retrieve(invoice, { expand: withPayments });
  const attempt = payments?.data.at(-1)?.payment.payment_intent;
  if (!attempt) return null;
  return stripe.paymentIntents.retrieve(typeof attempt === 'string' ? attempt : attempt.id);
}

export async function* invoices(
  stripe: Stripe,
  prices: PlanPrices,
  mark: ShopMark,
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
    const invoice = await Invoice.read(one, prices, mark);
    if (invoice) yield invoice;
  }
}

export async function readSubscription(stripe: Stripe, id: string): Promise<SubscriptionState | null> {
  return Invoice.standing(await stripe.subscriptions.retrieve(id, { expand: withInvoice }));
}

export async function cancelAtPeriodEnd(
  stripe: Stripe,
  id: string,
  cancels: boolean,
): Promise<SubscriptionState | null> {
  return Invoice.standing(
    await stripe.subscriptions.update(id, { cancel_at_period_end: cancels, expand: withInvoice }),
  );
}

/**
 * Ends a subscription now. Does nothing when it has already ended. With the subscription, Stripe stops the collection of finalized invoices only: a
 * draft would still be finalized and charged, so that is stopped before.
 */
export async function cancelNow(stripe: Stripe, id: string): Promise<void> {
  const { ended_at } = await stripe.subscriptions.retrieve(id);
  if (ended_at !== null) return;
  await each(stripe, id, 'draft', (invoice) => stripe.invoices.update(invoice, uncollected));
  await stripe.subscriptions.cancel(id);
}

/**
 * Voids the unpaid invoices of a subscription that has ended. There are several when Stripe is set to leave unpaid subscriptions as they are.
 * A draft of a subscription can be neither voided nor deleted, so it is finalized first, without being charged.
 */
export async function voidUnpaid(stripe: Stripe, subscription: string): Promise<void> {
  await each(stripe, subscription, 'draft', async (invoice) => {
    // A draft that cannot be finalized, for example because its tax cannot be determined, is not charged either.
    await stripe.invoices.update(invoice, uncollected);
    await stripe.invoices.finalizeInvoice(invoice, uncollected);
  });
  await each(stripe, subscription, 'open', (invoice) => stripe.invoices.voidInvoice(invoice));
}

/** Applies a change to the invoices of a subscription that have a status, except those that refuse it. */
async function each(
  stripe: Stripe,
  subscription: string,
  status: 'draft' | 'open',
  change: (invoice: string) => Promise<unknown>,
): Promise<void> {
  for await (const { id } of stripe.invoices.list({ subscription, status, limit: pageSize }))
    try {
      await change(id ?? '');
    } catch (error) {
      // Finalized, paid or void since it was listed, or a payment of it is under way, such as a bank debit.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    }
}

/**
 * Changes the plan in one request, so that credit and plan change together or not at all. With a credit the change applies at once, in a
 * new period that is charged now; without one it applies from the next period on. The subscription stores the id of the change, because
 * Stripe forgets idempotency keys sooner.
 */
export async function changePlan(
  stripe: Stripe,
  prices: PlanPrices,
  id: string,
  change: AskedChange,
  plan: SoldPlan,
): Promise<PlanChange> {
  const subscription = await stripe.subscriptions.retrieve(id);
  if (subscription.metadata.change === change.id) return { kind: 'changed' };
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`subscription ${id} has no item`);
  const price = await prices.of(plan);
  const { replaces } = change;
  try {
    await stripe.subscriptions.update(
      id,
      {
        items: [{ id: item.id, price, quantity: 1 }],
        ...(replaces && replaces.credit > 0 && { add_invoice_items: [credited(item, replaces.credit)] }),
        metadata: { change: change.id },
        cancel_at_period_end: false,
        proration_behavior: 'none',
        payment_behavior: 'error_if_incomplete',
        billing_cycle_anchor: { type: replaces === null ? 'unchanged' : 'now' },
      },
      { idempotencyKey: change.id },
    );
    return { kind: 'changed' };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError)
      return { kind: 'declined', reason: error.message, detail: null };
    // The key was used with other parameters, because the plan's price has changed. The first request's outcome is not known yet.
    if (error instanceof Stripe.errors.StripeIdempotencyError)
      throw new ProcessorUnavailable(error.message, { cause: error });
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== 409)
      return { kind: 'declined', reason: 'The card processor refuses this change.', detail: error.message };
    throw error;
  }
}

/** The line item that credits the rest of the previous plan, under that plan's product. */
function credited({ price }: Stripe.SubscriptionItem, credit: Money.Money) {
  const product = typeof price.product === 'string' ? price.product : price.product.id;
  const price_data = {
    currency: 'usd',
    product,
    unit_amount: -wholeCents(credit),
    tax_behavior: 'exclusive' as const,
  };
  return { price_data, quantity: 1, discountable: false };
}
