import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import type { Customer } from './customer.ts';
import * as Event from './event.ts';
import * as Period from './period.ts';
import * as Price from './price.ts';
import type { Inner, Stored, Wire } from './stored.ts';

/** A price that a subscription pays, and the period that is paid for. */
export type Item = Omit<Wire<Stripe.SubscriptionItem>, 'price' | 'quantity'> & {
  price: Price.Price & { recurring: Period.Recurring };
  quantity: number;
};

/** Something that a customer pays for period by period. */
export type Subscription = Omit<
  Wire<Stored<Stripe.Subscription>>,
  'cancellation_details' | 'items' | 'latest_invoice' | 'pending_update' | 'status' | 'test_clock'
> & {
  cancellation_details: Stored<Stripe.Subscription.CancellationDetails>;
  items: Inner<Item>;
  latest_invoice: string | null;
  pending_update: PendingUpdate | null;
  test_clock: string | null;
  status: 'active' | 'canceled' | 'incomplete' | 'incomplete_expired' | 'past_due' | 'unpaid';
  /** The change that a pending update will apply, and the invoice that it waits for. */
  _pending: { invoice: string; change: Partial<Subscription> } | null;
};

type PendingUpdate = Omit<NonNullable<Wire<Stripe.Subscription>['pending_update']>, 'subscription_items'> & {
  subscription_items: Item[];
};

export const subscriptions = Store.table<Subscription>('subscriptions');

export type ItemDraft = {
  price: Price.Price;
  quantity: number;
  metadata?: Record<string, string> | undefined;
};

export type SubscriptionDraft = {
  customer: Customer;
  items: ItemDraft[];
  default_payment_method: string | null;
  description?: string | null | undefined;
  metadata: Record<string, string>;
  automaticTax?: boolean;
};

/** A subscription that begins now and waits for its first payment; not stored yet. Throws where a price is paid once. */
export function prepare(ctx: RequestContext, draft: SubscriptionDraft): Subscription {
  const subscriptionId = id('sub');
  const items = draft.items.map((item) => newItem(ctx, subscriptionId, ctx.now, item));
  return {
    ...constants,
    id: subscriptionId,
    automatic_tax: { ...constants.automatic_tax, enabled: draft.automaticTax ?? false },
    billing_cycle_anchor: ctx.now,
    created: ctx.now,
    currency: draft.items[0]?.price.currency ?? 'usd',
    customer: draft.customer.id,
    default_payment_method: draft.default_payment_method,
    description: draft.description ?? null,
    items: itemList(subscriptionId, items),
    metadata: draft.metadata,
    start_date: ctx.now,
    test_clock: draft.customer.test_clock,
  };
}

export function newItem(ctx: RequestContext, subscription: string, anchor: number, draft: ItemDraft): Item {
  const price = asRecurring(draft.price);
  const { start, end } = Period.beginningAt(ctx.now, anchor, price.recurring);
  return {
    id: id('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: ctx.now,
    current_period_end: end,
    current_period_start: start,
    current_trial: null,
    discounts: [],
    metadata: draft.metadata ?? {},
    plan: Price.asPlan(price),
    price,
    quantity: draft.quantity,
    subscription,
    tax_rates: [],
  };
}

export function itemList(subscription: string, data: Item[]): Inner<Item> {
  return {
    object: 'list',
    data,
    has_more: false,
    url: `/v1/subscription_items?subscription=${subscription}`,
  };
}

export function asRecurring(price: Price.Price): Item['price'] {
  const { recurring } = price;
  if (recurring === null) throw new Error(`price ${price.id} is paid once`);
  return { ...price, recurring };
}

/** The period under way, which all items share. */
export function period({ id: subscriptionId, items }: Subscription): Period.Period {
  const [first] = items.data;
  if (first === undefined) throw new Error(`subscription ${subscriptionId} has no item`);
  return { start: first.current_period_start, end: first.current_period_end };
}

/** Returns true while the subscription has periods to come. */
export function isLive({ status }: Subscription): boolean {
  return status === 'active' || status === 'past_due' || status === 'unpaid';
}

export function add(ctx: RequestContext, subscription: Subscription): Subscription {
  Store.put(ctx.store, subscriptions, subscription);
  Event.record(ctx, 'customer.subscription.created', subscription);
  return subscription;
}

/** Applies `change` to the stored subscription and records the event if something differs. */
export function update(
  ctx: RequestContext,
  subscriptionId: string,
  change: Partial<Subscription>,
): Subscription {
  const before = getSubscription(ctx, subscriptionId);
  const after = { ...before, ...change };
  if (JSON.stringify(before) === JSON.stringify(after)) return before;
  Store.put(ctx.store, subscriptions, after);
  Event.record(ctx, 'customer.subscription.updated', after, before);
  return after;
}

export function getSubscription({ store }: RequestContext, subscriptionId: string): Subscription {
  const subscription = Store.get(store, subscriptions, subscriptionId);
  if (subscription === undefined) throw new Error(`subscription ${subscriptionId} is gone`);
  return subscription;
}

/** Returns the change that makes a subscription end with its current period. */
export function leaving(ctx: RequestContext, subscription: Subscription): Partial<Subscription> {
  return {
    cancel_at: period(subscription).end,
    cancel_at_period_end: true,
    canceled_at: ctx.now,
    cancellation_details: { ...subscription.cancellation_details, reason: 'cancellation_requested' },
  };
}

/** Returns the change that makes a subscription continue after its current period. */
export function staying({ cancellation_details }: Subscription): Partial<Subscription> {
  return {
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { ...cancellation_details, reason: null },
  };
}

/** Cancels a subscription. */
export function end(
  ctx: RequestContext,
  subscriptionId: string,
  why: Partial<Subscription['cancellation_details']> = {},
): Subscription {
  const before = getSubscription(ctx, subscriptionId);
  const ended = Store.put(ctx.store, subscriptions, {
    ...before,
    status: before.status === 'incomplete' ? 'incomplete_expired' : 'canceled',
    canceled_at: before.canceled_at ?? ctx.now,
    cancellation_details: { ...before.cancellation_details, ...why },
    ended_at: ctx.now,
    pending_update: null,
    _pending: null,
  });
  const type =
    ended.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated';
  Event.record(ctx, type, ended, ...(ended.status === 'canceled' ? [] : [before]));
  return ended;
}

/** Members that have the same value in every new subscription of the sandbox. */
const constants = {
  object: 'subscription',
  application: null,
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor_config: null,
  billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
  billing_schedules: [],
  billing_thresholds: null,
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
  collection_method: 'charge_automatically',
  customer_account: null,
  days_until_due: null,
  default_source: null,
  default_tax_rates: [],
  discounts: [],
  ended_at: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  latest_invoice: null,
  livemode: false,
  managed_payments: null,
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  payment_settings: {
    payment_method_options: null,
    payment_method_types: null,
    save_default_payment_method: 'off',
  },
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  schedule: null,
  status: 'incomplete',
  transfer_data: null,
  trial_end: null,
  trial_settings: {
    end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
  },
  trial_start: null,
  _pending: null,
} satisfies Partial<Subscription>;
