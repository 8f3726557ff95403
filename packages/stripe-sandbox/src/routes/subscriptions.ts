import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Change from '../billing/change.ts';
import * as Collection from '../billing/collection.ts';
import * as Ending from '../billing/ending.ts';
import * as Start from '../billing/start.ts';
import * as Customer from '../objects/customer.ts';
import * as Invoice from '../objects/invoice.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import { paymentMethods } from '../objects/payment-method.ts';
import type * as Price from '../objects/price.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import * as List from '../protocol/list.ts';
import {
  boolean,
  clearable,
  type Known,
  list,
  mergeMetadata,
  metadata,
  text,
  timestamp,
} from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as OnceAdded from './once-added.ts';
import * as PriceData from './price-data.ts';
import { wantPrice, wantPrices } from './subscription-items.ts';

const path = '/v1/subscriptions';
const gives = 'subscription';
const itemsMax = 20;

const priced = {
  price: text().optional(),
  price_data: z
    .strictObject({
      ...PriceData.ofProduct,
      recurring: PriceData.recurring,
    } satisfies Known<Stripe.SubscriptionCreateParams.Item.PriceData>)
    .optional(),
  quantity: PriceData.quantity.optional(),
  metadata: metadata.optional(),
} satisfies Known<Stripe.SubscriptionCreateParams.Item>;

const creation = z.strictObject({
  customer: text(),
  items: list(z.strictObject(priced), itemsMax),
  cancel_at_period_end: boolean.optional(),
  default_payment_method: text().optional(),
  description: text(500).optional(),
  metadata: metadata.optional(),
  off_session: boolean.optional(),
  payment_behavior: z.enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete']).optional(),
} satisfies Known<Stripe.SubscriptionCreateParams>);

const changing = z.strictObject({
  add_invoice_items: list(OnceAdded.schema, itemsMax).optional(),
  billing_cycle_anchor: z.strictObject({ type: z.enum(['now', 'unchanged']) }).optional(),
  cancel_at_period_end: boolean.optional(),
  default_payment_method: text().optional(),
  description: clearable(500).optional(),
  items: list(
    z.strictObject({
      id: text().optional(),
      ...priced,
    } satisfies Known<Stripe.SubscriptionUpdateParams.Item>),
    itemsMax,
  ).optional(),
  metadata: metadata.optional(),
  off_session: boolean.optional(),
  payment_behavior: z.enum(['allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete']).optional(),
  proration_behavior: z.enum(['none', 'always_invoice', 'create_prorations']).optional(),
  proration_date: timestamp.optional(),
} satisfies Known<Stripe.SubscriptionUpdateParams>);

/** Null where the card is the customer's. */
function refuseMethod(
  { store }: RequestContext,
  methodId: string | undefined,
  customer: string,
): Refusal | null {
  if (methodId === undefined) return null;
  const param = 'default_payment_method';
  const method = Store.get(store, paymentMethods, methodId);
  if (method === undefined) return missing('PaymentMethod', methodId, param);
  if (method.customer === customer) return null;
  return invalid('The customer does not have this payment method: attach it first.', { param });
}

function create(
  given: RequestContext,
  params: z.infer<typeof creation>,
): Subscription.Subscription | Refusal {
  const customer = Store.get(given.store, Customer.customers, params.customer);
  if (customer === undefined) return missing('customer', params.customer, 'customer');
  const refusal = refuseMethod(given, params.default_payment_method, customer.id);
  if (refusal !== null) return refusal;
  const wanted: Price.Wanted[] = [];
  for (const [place, item] of params.items.entries()) {
    const price = wantPrice(given, item, place, wanted[0]?.terms.currency ?? null);
    if (price === undefined) {
      const param = `items[${place}][price]`;
      return invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
    }
    if (isRefusal(price)) return price;
    wanted.push(price);
  }
  const rhythms = wanted.map(({ terms }) => JSON.stringify(terms.recurring));
  if (new Set(rhythms).size > 1) {
    return invalid('All prices of a subscription have the same interval.', { param: 'items' });
  }
  const ctx = TestClock.at(given, customer.test_clock);
  const draft = {
    customer,
    items: params.items.flatMap((item, place) => {
      const price = wanted[place]?.make(ctx);
      const about = mergeMetadata({}, item.metadata);
      return price ? [{ price, quantity: item.quantity ?? 1, metadata: about }] : [];
    }),
    default_payment_method: params.default_payment_method ?? null,
    description: params.description,
    metadata: mergeMetadata({}, params.metadata),
  };
  const opened = open(ctx, draft, params);
  return isRefusal(opened) || params.cancel_at_period_end !== true
    ? opened
    : Subscription.update(ctx, opened.id, Subscription.leaving(ctx, opened));
}

function open(
  ctx: RequestContext,
  draft: Subscription.SubscriptionDraft,
  { payment_behavior, off_session }: z.infer<typeof creation>,
): Subscription.Subscription | Refusal {
  const bill = Start.prepare(ctx, draft, []);
  const waits = payment_behavior === 'default_incomplete';
  const method = Collection.methodOf(ctx, bill.subscription, draft.customer);
  if (method === null && !waits && Invoice.amountDue(bill) > 0) return Collection.noMethod;
  const tried = Collection.prepay(ctx, bill, waits ? null : method, off_session ?? false);
  if (tried !== null && tried.refusal !== null && payment_behavior === 'error_if_incomplete') {
    PaymentIntent.cancel(ctx, tried.intent, 'abandoned');
    return tried.refusal;
  }
  return Start.startSubscription(ctx, bill, tried?.intent ?? null);
}

/** Refuses changes that the status of the subscription does not allow. */
function refuseUpdate(
  { status }: Subscription.Subscription,
  isChange: boolean,
  params: z.infer<typeof changing>,
): Refusal | null {
  const isEnded = status === 'canceled' || status === 'incomplete_expired';
  const { cancel_at_period_end: leaves, default_payment_method: method } = params;
  if (isEnded && (isChange || leaves !== undefined || method !== undefined)) {
    return invalid('Of a subscription that has ended, only the metadata and description can be changed.');
  }
  return status === 'incomplete' && isChange
    ? invalid('An incomplete subscription cannot change what is paid for; pay its first invoice first.')
    : null;
}

function update(
  ctx: RequestContext,
  before: Subscription.Subscription,
  params: z.infer<typeof changing>,
): Subscription.Subscription | Refusal {
  const { cancel_at_period_end: leaves, default_payment_method, description, items } = params;
  const isChange = items !== undefined || params.billing_cycle_anchor?.type === 'now';
  const refusal =
    refuseUpdate(before, isChange, params) ??
    refuseMethod(ctx, default_payment_method, String(before.customer));
  if (refusal !== null) return refusal;
  const wanted = wantPrices(ctx, items ?? [], before.currency);
  if (isRefusal(wanted)) return wanted;
  const unknownItem = OnceAdded.refuse(ctx, params.add_invoice_items ?? [], before.currency);
  if (unknownItem !== null) return unknownItem;
  const plain: Partial<Subscription.Subscription> = {
    metadata: mergeMetadata(before.metadata, params.metadata),
    ...(default_payment_method === undefined ? {} : { default_payment_method }),
    ...(description === undefined ? {} : { description }),
    ...(leaves === true && Subscription.leaving(ctx, before)),
    ...(leaves === false && Subscription.staying(before)),
  };
  if (!isChange) return Subscription.update(ctx, before.id, plain);
  const changed = Change.apply(
    ctx,
    { ...before, ...plain },
    {
      items: (items ?? []).map(({ price: _id, price_data: _data, metadata: about, ...item }, place) => ({
        ...item,
        price: wanted[place]?.make(ctx),
        ...(about === undefined ? {} : { metadata: mergeMetadata({}, about) }),
      })),
      resetsAnchor: params.billing_cycle_anchor?.type === 'now',
      proration: params.proration_behavior ?? 'create_prorations',
      behavior: params.payment_behavior ?? 'allow_incomplete',
      from: params.proration_date ?? ctx.now,
      offSession: params.off_session ?? false,
      once: (params.add_invoice_items ?? []).map(({ price_data, quantity = 1 }) => ({
        ...price_data,
        quantity,
      })),
    },
  );
  if (isRefusal(changed)) return changed;
  // The period that it is to end with may be a new one by now.
  const end = leaves === true ? Subscription.leaving(ctx, changed) : {};
  return Subscription.update(ctx, before.id, { ...plain, ...end });
}

/** Of the subscription in the path, at the time of its customer; or a 404. */
function onSubscription(
  ctx: RequestContext,
  id: string,
  deed: (ctx: RequestContext, subscription: Subscription.Subscription) => object | Refusal,
): object | Refusal {
  const subscription = Store.get(ctx.store, Subscription.subscriptions, id);
  return subscription === undefined
    ? missing(gives, id)
    : deed(TestClock.at(ctx, subscription.test_clock), subscription);
}

const statuses = ['active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'unpaid'] as const;

export const subscriptions: readonly Route[] = [
  route({ method: 'POST', path, gives, params: creation, run: create }),
  listing({
    path,
    gives,
    table: Subscription.subscriptions,
    params: {
      created: List.created,
      customer: text().optional(),
      price: text().optional(),
      status: z.enum([...statuses, 'all', 'ended']).optional(),
      test_clock: text().optional(),
    } satisfies Known<Stripe.SubscriptionListParams>,
    where: (row, { customer, price, status, test_clock }) => {
      const hasEnded = row.status === 'canceled' || row.status === 'incomplete_expired';
      return (
        (customer === undefined || row.customer === customer) &&
        (price === undefined || row.items.data.some((item) => item.price.id === price)) &&
        (test_clock === undefined || row.test_clock === test_clock) &&
        (status === undefined
          ? row.status !== 'canceled'
          : status === 'all' || (status === 'ended' ? hasEnded : row.status === status))
      );
    },
  }),
  retrieval(path, gives, Subscription.subscriptions),
  route({
    method: 'POST',
    path: `${path}/:id`,
    gives,
    params: changing,
    run: (ctx, params, id) => onSubscription(ctx, id, (at, row) => update(at, row, params)),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:id`,
    gives,
    params: z.strictObject({
      cancellation_details: z.strictObject({ comment: text(500).optional() }).optional(),
    } satisfies Known<Stripe.SubscriptionCancelParams>),
    run: (ctx, { cancellation_details: about }, id) =>
      onSubscription(ctx, id, (at, row) =>
        row.ended_at === null
          ? Ending.endSubscription(at, id, {
              comment: about?.comment ?? null,
              reason: 'cancellation_requested',
            })
          : missing(gives, id),
      ),
  }),
];
