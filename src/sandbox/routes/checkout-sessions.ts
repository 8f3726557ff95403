import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { Act } from '../act.ts';
import * as CheckoutSession from '../objects/checkout-session.ts';
import * as Customer from '../objects/customer.ts';
import * as Price from '../objects/price.ts';
import * as List from '../protocol/list.ts';
import { email, type Known, list, metadata, refuseAmount, text, timestamp, url } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';
import * as PriceData from './price-data.ts';

const linesMax = 100;
const lifeSeconds = { min: 30 * 60, max: 24 * 3_600 };

const lineItem = z.strictObject({
  quantity: PriceData.quantity,
  price: text().optional(),
  price_data: z
    .strictObject({
      ...PriceData.ofProduct,
      product: text().optional(),
      product_data: PriceData.productData.optional(),
      recurring: PriceData.recurring.optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>)
    .optional(),
} satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem>);

const creation = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: list(lineItem, linesMax),
  success_url: url,
  cancel_url: url.optional(),
  client_reference_id: text(200).optional(),
  customer: text().optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  customer_email: email.optional(),
  expires_at: timestamp.optional(),
  allowed_payment_method_types: list(z.enum(['card']), 1).optional(),
  locale: z.enum(['auto', 'en']).optional(),
  metadata: metadata.optional(),
  payment_intent_data: z
    .strictObject({
      description: text(1_000).optional(),
      metadata: metadata.optional(),
      receipt_email: email.optional(),
      setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.PaymentIntentData>)
    .optional(),
  submit_type: z.enum(['auto', 'pay']).optional(),
  subscription_data: z
    .strictObject({
      description: text(500).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.SubscriptionData>)
    .optional(),
  ui_mode: z.enum(['hosted_page']).optional(),
} satisfies Known<Stripe.Checkout.SessionCreateParams>);

type Creation = z.infer<typeof creation>;

type Line = Price.Wanted & { quantity: number };

/** What the lines ask for, or the first of them that cannot be had. */
function readLines(act: Act, given: Creation['line_items']): Line[] | Refusal {
  const lines: Line[] = [];
  for (const [place, line] of given.entries()) {
    const wanted = Price.want(act, line, `line_items[${place}]`);
    if (isRefusal(wanted)) return wanted;
    lines.push({ ...wanted, quantity: line.quantity });
  }
  return lines;
}

/** Why these parameters, each valid by itself, do not go together; null where they do. */
function refuseTogether(act: Act, params: Creation, lines: Line[]): Refusal | null {
  const { mode, customer, expires_at } = params;
  const [first] = lines.map(({ terms }) => terms.currency);
  if (lines.some(({ terms }) => terms.currency !== first)) {
    return invalid('All line items have the same currency.', { param: 'line_items' });
  }
  const rhythms = lines.flatMap(({ terms }) => terms.recurring ?? []);
  if (mode === 'subscription' && rhythms.length === 0) {
    return invalid(
      'In subscription mode at least one line item has a recurring price: price_data[recurring].',
      {
        param: 'line_items',
      },
    );
  }
  if (new Set(rhythms.map((rhythm) => `${rhythm.interval_count} ${rhythm.interval}`)).size > 1) {
    return invalid('All recurring prices have the same interval.', { param: 'line_items' });
  }
  if (mode === 'payment' && rhythms.length > 0) {
    return invalid('A recurring price needs mode=subscription.', { param: 'mode' });
  }
  if (mode === 'payment' && params.subscription_data !== undefined) {
    return invalid('subscription_data is for mode=subscription only.', { param: 'subscription_data' });
  }
  for (const param of ['payment_intent_data', 'customer_creation', 'submit_type'] as const) {
    if (mode === 'subscription' && params[param] !== undefined) {
      return invalid(`${param} is for mode=payment only.`, { param });
    }
  }
  for (const param of ['customer_email', 'customer_creation'] as const) {
    if (customer !== undefined && params[param] !== undefined) {
      return invalid(`Give customer or ${param}, not both.`, { param });
    }
  }
  if (customer !== undefined && !Store.get(act.store, Customer.customers, customer)) {
    return missing('customer', customer, 'customer');
  }
  const life = (expires_at ?? act.now + lifeSeconds.max) - act.now;
  if (life < lifeSeconds.min || life > lifeSeconds.max) {
    return invalid('expires_at lies between 30 minutes and 24 hours from now.', { param: 'expires_at' });
  }
  const total = lines.reduce((sum, { quantity, terms }) => sum + quantity * terms.unit_amount, 0);
  return refuseAmount(total, first ?? 'usd', 'line_items');
}

/** The session of the path, or a 404. */
function onSession(
  act: Act,
  id: string,
  deed: (session: CheckoutSession.CheckoutSession) => object | Refusal,
): object | Refusal {
  const session = Store.get(act.store, CheckoutSession.checkoutSessions, id);
  return session === undefined ? missing('checkout.session', id) : deed(session);
}

const path = '/v1/checkout/sessions';

export const checkoutSessions: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'checkout.session',
    params: creation,
    run: (act, params) => {
      const lines = readLines(act, params.line_items);
      if (!Array.isArray(lines)) return lines;
      const refusal = refuseTogether(act, params, lines);
      if (refusal !== null) return refusal;
      return CheckoutSession.create(act, {
        ...params,
        currency: lines[0]?.terms.currency ?? 'usd',
        line_items: lines.map(({ make, quantity }) => ({ price: make(act), quantity })),
      });
    },
  }),
  listing({
    path,
    gives: 'checkout.session',
    table: CheckoutSession.checkoutSessions,
    params: {
      created: List.created,
      customer: text().optional(),
      payment_intent: text().optional(),
      status: z.enum(['open', 'complete', 'expired']).optional(),
      subscription: text().optional(),
    } satisfies Known<Stripe.Checkout.SessionListParams>,
    where: (session, { customer, payment_intent, status, subscription }) =>
      (customer === undefined || session.customer === customer) &&
      (payment_intent === undefined || session._intent === payment_intent) &&
      (status === undefined || session.status === status) &&
      (subscription === undefined || session.subscription === subscription),
  }),
  retrieval(path, 'checkout.session', CheckoutSession.checkoutSessions),
  route({
    method: 'GET',
    path: '/v1/checkout/sessions/:id/line_items',
    gives: 'item',
    isList: true,
    params: z.strictObject(List.pageParams),
    run: (act, page, id) =>
      onSession(act, id, ({ _line_items: lines }) =>
        // Lines are listed in their own order, not the newest first.
        List.page(lines.toReversed(), `/v1/checkout/sessions/${id}/line_items`, page),
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    gives: 'checkout.session',
    params: z.strictObject({}),
    run: (act, _params, id) =>
      onSession(act, id, (session) =>
        session.status === 'open'
          ? CheckoutSession.expire(act, session)
          : invalid(`Only an open Checkout Session can expire; this one is ${session.status}.`),
      ),
  }),
];
