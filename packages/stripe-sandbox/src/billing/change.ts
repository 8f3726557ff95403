import * as Customer from '../objects/customer.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Period from '../objects/period.ts';
import * as Price from '../objects/price.ts';
import * as Subscription from '../objects/subscription.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Collection from './collection.ts';
import * as Ending from './ending.ts';

type Item = Subscription.Item;

/** A change of a subscription's items or billing anchor. */
export type Change = {
  items: {
    id?: string | undefined;
    price?: Price.Price | undefined;
    quantity?: number | undefined;
    metadata?: Record<string, string> | undefined;
  }[];
  /** Begins a new period now. */
  resetsAnchor: boolean;
  proration: 'none' | 'always_invoice' | 'create_prorations';
  behavior: 'allow_incomplete' | 'error_if_incomplete' | 'pending_if_incomplete';
  /** The second at which the old price is credited and the new price charged. */
  from: number;
  offSession: boolean;
  /** Charged, or where negative credited, once: with the invoice of this change, or with the next one where it makes none. */
  once: { currency: string; product: string; unit_amount: number; quantity: number }[];
};

/** A pending update expires when its invoice is not paid within this time. */
const pendingSeconds = 23 * 3_600;

/**
 * Changes prices or quantities. Amounts due at once are charged first. If that payment fails, nothing changes and the refusal is a 402
 * (`error_if_incomplete`), the change waits for the payment (`pending_if_incomplete`), or the change is made and the subscription becomes
 * past due (`allow_incomplete`). A previous pending change is dropped first.
 */
export function apply(
  ctx: RequestContext,
  subscription: Subscription.Subscription,
  change: Change,
): Subscription.Subscription | Refusal {
  const planned = plan(ctx, subscription, change);
  if (!('items' in planned)) return planned;
  const { items, anchor, isBilledNow } = planned;
  const once = change.once.map((item) => InvoiceLine.ofOnce(ctx.store, item, subscription.id, ctx.now));
  const lines = [...planned.lines, ...once];
  const list = Subscription.itemList(subscription.id, items);
  const after: Partial<Subscription.Subscription> = {
    items: list,
    billing_cycle_anchor: anchor,
    ...(subscription.cancel_at_period_end
      ? { cancel_at: Subscription.period({ ...subscription, items: list }).end }
      : {}),
  };
  dropPending(ctx, subscription);
  if (!isBilledNow) {
    if (change.proration === 'create_prorations') postpone(ctx, subscription, planned.lines);
    postpone(ctx, subscription, once);
    return Subscription.update(ctx, subscription.id, after);
  }
  const customer = Customer.getCustomer(ctx, String(subscription.customer));
  const bill: Invoice.Bill = {
    customer,
    subscription: { ...subscription, ...after },
    reason: 'subscription_update',
    lines,
    waiting: InvoiceItem.pending(ctx, customer.id, subscription.id),
    period: { start: ctx.now, end: ctx.now },
  };
  const method = Collection.methodOf(ctx, subscription, customer);
  if (method === null && Invoice.amountDue(bill) > 0) return Collection.noMethod;
  const tried = Collection.prepay(ctx, bill, method, change.offSession);
  if (tried !== null && tried.refusal !== null && change.behavior === 'error_if_incomplete') {
    PaymentIntent.cancel(ctx, tried.intent, 'abandoned');
    return tried.refusal;
  }
  const invoice = Collection.write(ctx, bill);
  const isUnpaid = tried !== null && tried.intent.status !== 'succeeded';
  if (isUnpaid && change.behavior === 'pending_if_incomplete') {
    Subscription.update(ctx, subscription.id, {
      latest_invoice: invoice.id,
      pending_update: {
        ...noUpdate,
        billing_cycle_anchor: anchor === subscription.billing_cycle_anchor ? null : anchor,
        expires_at: ctx.now + pendingSeconds,
        subscription_items: items,
      },
      _pending: { invoice: invoice.id, change: after },
    });
  } else {
    Subscription.update(ctx, subscription.id, { ...after, latest_invoice: invoice.id });
  }
  Collection.resolve(ctx, invoice, tried?.intent ?? null);
  return Subscription.getSubscription(ctx, subscription.id);
}

/** Gives up a pending update, and voids the invoice that it waited for. */
export function dropPending(ctx: RequestContext, { id, _pending }: Subscription.Subscription): void {
  if (_pending === null) return;
  Subscription.update(ctx, id, { pending_update: null, _pending: null });
  const invoice = Invoice.getInvoice(ctx, _pending.invoice);
  if (invoice.status === 'open') Ending.annul(ctx, invoice);
}

const noUpdate = {
  cancel_at_period_end: null,
  discount: null,
  discounts: null,
  metadata: null,
  trial_end: null,
  trial_from_plan: null,
};

type Plan = { items: Item[]; anchor: number; lines: InvoiceLine.InvoiceLineDraft[]; isBilledNow: boolean };

/** Returns the items after the change, with the invoice lines that it charges or credits for the current period. */
function plan(ctx: RequestContext, subscription: Subscription.Subscription, change: Change): Plan | Refusal {
  const before = subscription.items.data;
  const changed = itemsAfter(ctx, subscription, change);
  if (!Array.isArray(changed)) return changed;
  const [rhythm, ...others] = changed.map(({ price }) => intervalOf(price));
  if (others.some((other) => other !== rhythm)) {
    return invalid('All prices of a subscription have the same interval.', { param: 'items' });
  }
  const isReset = change.resetsAnchor || before.some(({ price }) => intervalOf(price) !== rhythm);
  const anchor = isReset ? ctx.now : subscription.billing_cycle_anchor;
  const items = isReset ? changed.map((item) => from(item, ctx.now)) : changed;
  const untouched = (item: Item) =>
    before.some((old) => isSame(old, item)) && changed.some((now) => isSame(now, item));
  const moved = (item: Item) => isReset || !untouched(item);
  const period = Subscription.period(subscription);
  const rest = { start: change.from, end: period.end };
  const share = (item: Item) => Period.remainder(amountOf(item), period, change.from);
  const prorated = (item: Item, amount: number) => InvoiceLine.ofProration(ctx.store, item, amount, rest);
  const credits =
    change.proration === 'none' ? [] : before.filter(moved).map((item) => prorated(item, -share(item)));
  const whole = (item: Item) =>
    InvoiceLine.ofItem(ctx.store, item, { start: item.current_period_start, end: item.current_period_end });
  const charges = isReset
    ? items.map(whole)
    : change.proration === 'none'
      ? []
      : items.filter(moved).map((item) => prorated(item, share(item)));
  const lines = [...credits, ...charges].filter(({ amount }) => amount !== 0);
  const isBilledNow = isReset || (change.proration === 'always_invoice' && lines.length > 0);
  return { items, anchor, lines, isBilledNow };
}

/** The items with what was given for them; a given item without an id is a new one. */
function itemsAfter(
  ctx: RequestContext,
  subscription: Subscription.Subscription,
  change: Change,
): Item[] | Refusal {
  const items = [...subscription.items.data];
  for (const [place, given] of change.items.entries()) {
    const { id, quantity } = given;
    const price = given.price && Subscription.asRecurring(given.price);
    if (id === undefined) {
      if (price === undefined) {
        return invalid('A new item needs a price.', {
          code: 'parameter_missing',
          param: `items[${place}][price]`,
        });
      }
      const anchor = subscription.billing_cycle_anchor;
      const draft = { price, quantity: quantity ?? 1, metadata: given.metadata };
      const { start: current_period_start, end: current_period_end } = Subscription.period(subscription);
      const item = Subscription.newItem(ctx, subscription.id, anchor, draft);
      items.push({ ...item, current_period_start, current_period_end });
      continue;
    }
    const at = items.findIndex((item) => item.id === id);
    const old = items[at];
    if (old === undefined) return missing('subscription_item', id, `items[${place}][id]`);
    items[at] = {
      ...old,
      ...(price ? { price, plan: Price.asPlan(price) } : {}),
      quantity: quantity ?? old.quantity,
      metadata: given.metadata ?? old.metadata,
    };
  }
  return items;
}

/** Puts the charges and credits of a change on the next invoice. */
function postpone(
  ctx: RequestContext,
  subscription: Subscription.Subscription,
  lines: InvoiceLine.InvoiceLineDraft[],
): void {
  const customer = Customer.getCustomer(ctx, String(subscription.customer));
  for (const { amount, currency, description, period, pricing, quantity, parent } of lines) {
    const item = parent?.subscription_item_details?.subscription_item ?? '';
    InvoiceItem.create(ctx, {
      amount,
      currency,
      customer,
      description,
      period,
      subscription: subscription.id,
      proration: { item, pricing, quantity: quantity ?? 1 },
    });
  }
}

function from(item: Item, now: number): Item {
  const { start, end } = Period.beginningAt(now, now, item.price.recurring);
  return { ...item, current_period_start: start, current_period_end: end };
}

function isSame(one: Item, other: Item): boolean {
  return one.id === other.id && one.price.id === other.price.id && one.quantity === other.quantity;
}

function amountOf({ price, quantity }: Item): number {
  return price.unit_amount * quantity;
}

function intervalOf({ recurring: { interval, interval_count } }: Item['price']): string {
  return `${interval_count} ${interval}`;
}
