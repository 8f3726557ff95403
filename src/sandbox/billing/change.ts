import type { Act } from '../act.ts';
import * as Customer from '../objects/customer.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Period from '../objects/period.ts';
import * as Price from '../objects/price.ts';
import * as Subscription from '../objects/subscription.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import * as Collection from './collection.ts';
import * as Ending from './ending.ts';

type Item = Subscription.Item;

/** What is to be paid for from now on. */
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
  /** The moment from which the old price is given back and the new one taken. */
  from: number;
  offSession: boolean;
};

/** A pending update that nobody has paid for within this time is given up. */
const pendingSeconds = 23 * 3_600;

/**
 * Changes prices or quantities. What is due at once is paid first: where that fails, nothing has changed
 * (`error_if_incomplete`, the refusal is a 402), the change waits for the payment (`pending_if_incomplete`), or it is
 * made and the subscription is past due (`allow_incomplete`). An earlier change that still waits is given up first.
 */
export function apply(
  act: Act,
  subscription: Subscription.Subscription,
  change: Change,
): Subscription.Subscription | Refusal {
  const planned = plan(act, subscription, change);
  if (!('items' in planned)) return planned;
  const { items, anchor, lines, isBilledNow } = planned;
  const list = Subscription.itemList(subscription.id, items);
  const after: Partial<Subscription.Subscription> = {
    items: list,
    billing_cycle_anchor: anchor,
    ...(subscription.cancel_at_period_end
      ? { cancel_at: Subscription.period({ ...subscription, items: list }).end }
      : {}),
  };
  dropPending(act, subscription);
  if (!isBilledNow) {
    if (change.proration === 'create_prorations') postpone(act, subscription, lines);
    return Subscription.update(act, subscription.id, after);
  }
  const customer = Customer.of(act, String(subscription.customer));
  const bill: Invoice.Bill = {
    customer,
    subscription: { ...subscription, ...after },
    reason: 'subscription_update',
    lines,
    waiting: InvoiceItem.pending(act, customer.id, subscription.id),
    period: { start: act.now, end: act.now },
  };
  const method = Collection.methodOf(act, subscription, customer);
  if (method === null && Invoice.amountDue(bill) > 0) return Collection.noMethod;
  const tried = Collection.prepay(act, bill, method, change.offSession);
  if (tried !== null && tried.refusal !== null && change.behavior === 'error_if_incomplete') {
    PaymentIntent.cancel(act, tried.intent, 'abandoned');
    return tried.refusal;
  }
  const invoice = Collection.write(act, bill);
  const isUnpaid = tried !== null && tried.intent.status !== 'succeeded';
  if (isUnpaid && change.behavior === 'pending_if_incomplete') {
    Subscription.update(act, subscription.id, {
      latest_invoice: invoice.id,
      pending_update: {
        ...noUpdate,
        billing_cycle_anchor: anchor === subscription.billing_cycle_anchor ? null : anchor,
        expires_at: act.now + pendingSeconds,
        subscription_items: items,
      },
      _pending: { invoice: invoice.id, change: after },
    });
  } else {
    Subscription.update(act, subscription.id, { ...after, latest_invoice: invoice.id });
  }
  Collection.resolve(act, invoice, tried?.intent ?? null);
  return Subscription.of(act, subscription.id);
}

/** Gives up a pending update, and voids the invoice that it waited for. */
export function dropPending(act: Act, { id, _pending }: Subscription.Subscription): void {
  if (_pending === null) return;
  Subscription.update(act, id, { pending_update: null, _pending: null });
  const invoice = Invoice.of(act, _pending.invoice);
  if (invoice.status === 'open') Ending.annul(act, invoice);
}

const noUpdate = {
  cancel_at_period_end: null,
  discount: null,
  discounts: null,
  metadata: null,
  trial_end: null,
  trial_from_plan: null,
};

type Plan = { items: Item[]; anchor: number; lines: InvoiceLine.Draft[]; isBilledNow: boolean };

/** What the subscription will pay for, and what that asks for or gives back for the period under way. */
function plan(act: Act, subscription: Subscription.Subscription, change: Change): Plan | Refusal {
  const before = subscription.items.data;
  const changed = itemsAfter(act, subscription, change);
  if (!Array.isArray(changed)) return changed;
  const [rhythm, ...others] = changed.map(({ price }) => intervalOf(price));
  if (others.some((other) => other !== rhythm)) {
    return invalid('All prices of a subscription have the same interval.', { param: 'items' });
  }
  const isReset = change.resetsAnchor || before.some(({ price }) => intervalOf(price) !== rhythm);
  const anchor = isReset ? act.now : subscription.billing_cycle_anchor;
  const items = isReset ? changed.map((item) => from(item, act.now)) : changed;
  const untouched = (item: Item) =>
    before.some((old) => isSame(old, item)) && changed.some((now) => isSame(now, item));
  const moved = (item: Item) => isReset || !untouched(item);
  const period = Subscription.period(subscription);
  const rest = { start: change.from, end: period.end };
  const share = (item: Item) => Period.remainder(amountOf(item), period, change.from);
  const prorated = (item: Item, amount: number) => InvoiceLine.ofProration(act.store, item, amount, rest);
  const credits =
    change.proration === 'none' ? [] : before.filter(moved).map((item) => prorated(item, -share(item)));
  const whole = (item: Item) =>
    InvoiceLine.ofItem(act.store, item, { start: item.current_period_start, end: item.current_period_end });
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
function itemsAfter(act: Act, subscription: Subscription.Subscription, change: Change): Item[] | Refusal {
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
      const item = Subscription.newItem(act, subscription.id, anchor, draft);
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

/** What a change gives back and asks for waits for the next invoice. */
function postpone(act: Act, subscription: Subscription.Subscription, lines: InvoiceLine.Draft[]): void {
  const customer = Customer.of(act, String(subscription.customer));
  for (const { amount, currency, description, period, pricing, quantity, parent } of lines) {
    const item = parent?.subscription_item_details?.subscription_item ?? '';
    InvoiceItem.create(act, {
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
