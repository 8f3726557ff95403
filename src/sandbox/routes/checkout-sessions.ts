import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { Act } from '../act.ts';
import * as CheckoutSession from '../objects/checkout-session.ts';
import * as Customer from '../objects/customer.ts';
import * as List from '../protocol/list.ts';
import {
  currency,
  email,
  integer,
  type Known,
  list,
  metadata,
  refuseAmount,
  text,
  timestamp,
  url,
} from '../protocol/params.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const linesMax = 100;
const quantityMax = 999_999;
const lifeSeconds = { min: 30 * 60, max: 24 * 3_600 };

const lineItem = z.strictObject({
  quantity: integer.refine((count) => count >= 1 && count <= quantityMax, 'Invalid quantity.'),
  price_data: z.strictObject({
    currency,
    unit_amount: integer.refine((amount) => amount >= 0, 'unit_amount must not be negative.'),
    product_data: z.strictObject({
      name: text(250),
      description: text(1_000).optional(),
      metadata: metadata.optional(),
    }),
    recurring: z
      .strictObject({
        interval: z.enum(['day', 'week', 'month', 'year']),
        interval_count: integer
          .refine((count) => count >= 1 && count <= 36, 'Invalid interval_count.')
          .optional(),
      })
      .optional(),
  } satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>),
});

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
  ui_mode: z.enum(['hosted_page']).optional(),
} satisfies Known<Stripe.Checkout.SessionCreateParams>);

type Creation = z.infer<typeof creation>;

/** Why these parameters, each valid by itself, do not go together; null where they do. */
function refuseTogether(act: Act, params: Creation): Refusal | null {
  const { mode, customer, expires_at, line_items: lines } = params;
  const [first] = lines.map((line) => line.price_data.currency);
  if (lines.some((line) => line.price_data.currency !== first)) {
    return invalid('All line items have the same currency.', { param: 'line_items' });
  }
  const recurring = lines.filter((line) => line.price_data.recurring !== undefined).length;
  if (mode === 'subscription' && recurring === 0) {
    return invalid(
      'In subscription mode at least one line item has a recurring price: price_data[recurring].',
      {
        param: 'line_items',
      },
    );
  }
  if (mode === 'payment' && recurring > 0) {
    return invalid('A recurring price needs mode=subscription.', { param: 'mode' });
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
  const total = lines.reduce((sum, line) => sum + line.quantity * line.price_data.unit_amount, 0);
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

export const checkoutSessions: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/checkout/sessions',
    gives: 'checkout.session',
    params: creation,
    run: (act, params) => {
      const refusal = refuseTogether(act, params);
      if (refusal !== null) return refusal;
      return CheckoutSession.create(act, {
        ...params,
        currency: params.line_items[0]?.price_data.currency ?? 'usd',
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/checkout/sessions',
    gives: 'checkout.session',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      customer: text().optional(),
      payment_intent: text().optional(),
      status: z.enum(['open', 'complete', 'expired']).optional(),
    } satisfies Known<Stripe.Checkout.SessionListParams>),
    run: ({ store }, { created, customer, payment_intent, status, ...page }) => {
      const rows = Store.all(store, CheckoutSession.checkoutSessions).filter(
        (session) =>
          List.isCreatedWithin(session.created, created) &&
          (customer === undefined || session.customer === customer) &&
          (payment_intent === undefined || session._intent === payment_intent) &&
          (status === undefined || session.status === status),
      );
      return List.page(rows, '/v1/checkout/sessions', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/checkout/sessions/:id',
    gives: 'checkout.session',
    params: z.strictObject({}),
    run: (act, _params, id) => onSession(act, id, (session) => session),
  }),
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
