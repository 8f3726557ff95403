import type { Stripe } from 'stripe';
import { z } from 'zod';
import { account } from '../objects/account.ts';
import * as CheckoutSession from '../objects/checkout-session.ts';
import * as Customer from '../objects/customer.ts';
import * as Price from '../objects/price.ts';
import * as List from '../protocol/list.ts';
import {
  boolean,
  currency,
  email,
  type Known,
  list,
  metadata,
  refuseAmount,
  text,
  timestamp,
  url,
} from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
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
  mode: z.enum(['payment', 'setup', 'subscription']),
  line_items: list(lineItem, linesMax).optional(),
  success_url: url,
  cancel_url: url.optional(),
  adaptive_pricing: z
    .strictObject({
      enabled: boolean.optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.AdaptivePricing>)
    .optional(),
  automatic_tax: z
    .strictObject({
      enabled: boolean,
    } satisfies Known<Stripe.Checkout.SessionCreateParams.AutomaticTax>)
    .optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  client_reference_id: text(200).optional(),
  currency: currency.optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: text(1_200) }).optional() }).optional(),
  customer: text().optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  customer_email: email.optional(),
  customer_update: z
    .strictObject({
      address: z.enum(['auto', 'never']).optional(),
      name: z.enum(['auto', 'never']).optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.CustomerUpdate>)
    .optional(),
  expires_at: timestamp.optional(),
  allowed_payment_method_types: list(z.enum(['card']), 1).optional(),
  invoice_creation: z
    .strictObject({
      enabled: boolean,
    } satisfies Known<Stripe.Checkout.SessionCreateParams.InvoiceCreation>)
    .optional(),
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
  setup_intent_data: z
    .strictObject({
      description: text(1_000).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.SetupIntentData>)
    .optional(),
  submit_type: z.enum(['auto', 'pay']).optional(),
  subscription_data: z
    .strictObject({
      description: text(500).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.SubscriptionData>)
    .optional(),
  tax_id_collection: z
    .strictObject({
      enabled: boolean,
    } satisfies Known<Stripe.Checkout.SessionCreateParams.TaxIdCollection>)
    .optional(),
  ui_mode: z.enum(['hosted_page']).optional(),
} satisfies Known<Stripe.Checkout.SessionCreateParams>);

type Creation = z.infer<typeof creation>;

type Line = Price.Wanted & { quantity: number };

/** Reads the prices of the lines, or refuses the first line that is invalid. */
function readLines(ctx: RequestContext, given: NonNullable<Creation['line_items']>): Line[] | Refusal {
  const lines: Line[] = [];
  for (const [place, line] of given.entries()) {
    const wanted = Price.want(ctx, line, `line_items[${place}]`);
    if (isRefusal(wanted)) return wanted;
    lines.push({ ...wanted, quantity: line.quantity });
  }
  return lines;
}

/** Why a parameter does not belong to the mode; null where all do. */
function refuseMode(params: Creation, lines: Line[]): Refusal | null {
  const { mode } = params;
  const foreign = {
    payment: ['subscription_data', 'setup_intent_data'],
    subscription: [
      'payment_intent_data',
      'setup_intent_data',
      'customer_creation',
      'invoice_creation',
      'submit_type',
    ],
    setup: [
      'automatic_tax',
      'invoice_creation',
      'line_items',
      'payment_intent_data',
      'subscription_data',
      'submit_type',
      'tax_id_collection',
    ],
  } as const;
  for (const param of foreign[mode]) {
    if (params[param] !== undefined) return invalid(`${param} is not for mode=${mode}.`, { param });
  }
  if (mode === 'setup' && params.currency === undefined)
    return invalid('currency is required in setup mode.', { code: 'parameter_missing', param: 'currency' });
  if (mode !== 'setup' && lines.length === 0)
    return invalid('line_items is required in this mode.', {
      code: 'parameter_missing',
      param: 'line_items',
    });
  return null;
}

/** Why these parameters, each valid by itself, do not go together; null where they do. */
function refuseTogether(ctx: RequestContext, params: Creation, lines: Line[]): Refusal | null {
  const { mode, customer, expires_at } = params;
  const [first] = lines.map(({ terms }) => terms.currency);
  const misplaced = refuseMode(params, lines);
  if (misplaced !== null) return misplaced;
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
  for (const param of ['customer_email', 'customer_creation'] as const) {
    if (customer !== undefined && params[param] !== undefined) {
      return invalid(`Give customer or ${param}, not both.`, { param });
    }
  }
  if (customer !== undefined && !Store.get(ctx.store, Customer.customers, customer)) {
    return missing('customer', customer, 'customer');
  }
  const life = (expires_at ?? ctx.now + lifeSeconds.max) - ctx.now;
  if (life < lifeSeconds.min || life > lifeSeconds.max) {
    return invalid('expires_at lies between 30 minutes and 24 hours from now.', { param: 'expires_at' });
  }
  if (mode === 'setup') return null;
  const total = lines.reduce((sum, { quantity, terms }) => sum + quantity * terms.unit_amount, 0);
  return refuseAmount(total, first ?? 'usd', account(ctx).default_currency, 'line_items');
}

/** The session of the path, or a 404. */
function onSession(
  ctx: RequestContext,
  id: string,
  deed: (session: CheckoutSession.CheckoutSession) => object | Refusal,
): object | Refusal {
  const session = Store.get(ctx.store, CheckoutSession.checkoutSessions, id);
  return session === undefined ? missing('checkout.session', id) : deed(session);
}

const path = '/v1/checkout/sessions';

export const checkoutSessions: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'checkout.session',
    params: creation,
    run: (ctx, params) => {
      const lines = readLines(ctx, params.line_items ?? []);
      if (!Array.isArray(lines)) return lines;
      const refusal = refuseTogether(ctx, params, lines);
      if (refusal !== null) return refusal;
      return CheckoutSession.create(ctx, {
        ...params,
        currency: lines[0]?.terms.currency ?? params.currency ?? 'usd',
        line_items: lines.map(({ make, quantity }) => ({ price: make(ctx), quantity })),
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
    run: (ctx, page, id) =>
      onSession(ctx, id, ({ _line_items: lines }) =>
        // Lines are listed in their own order, not the newest first.
        List.page(lines.toReversed(), `/v1/checkout/sessions/${id}/line_items`, page),
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    gives: 'checkout.session',
    params: z.strictObject({}),
    run: (ctx, _params, id) =>
      onSession(ctx, id, (session) =>
        session.status === 'open'
          ? CheckoutSession.expire(ctx, session)
          : invalid(`Only an open Checkout Session can expire; this one is ${session.status}.`),
      ),
  }),
];
