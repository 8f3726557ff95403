import { balanceTransactions } from '../objects/balance-transaction.ts';
import { charges } from '../objects/charge.ts';
import { type CheckoutSession, checkoutSessions } from '../objects/checkout-session.ts';
import { customers } from '../objects/customer.ts';
import { invoices } from '../objects/invoice.ts';
import * as InvoicePayment from '../objects/invoice-payment.ts';
import { paymentIntents } from '../objects/payment-intent.ts';
import { paymentMethods } from '../objects/payment-method.ts';
import { products } from '../objects/product.ts';
import { setupIntents } from '../objects/setup-intent.ts';
import { shown } from '../objects/stored.ts';
import { subscriptions } from '../objects/subscription.ts';
import { testClocks } from '../objects/test-clock.ts';
import * as Store from '../store.ts';
import type { Page } from './list.ts';
import { invalid, type Refusal } from './refusal.ts';

type Row = { id: string };

const tables: Record<string, Store.Table<Row>> = {
  balance_transaction: balanceTransactions,
  charge: charges,
  'checkout.session': checkoutSessions,
  customer: customers,
  invoice: invoices,
  payment_intent: paymentIntents,
  payment_method: paymentMethods,
  product: products,
  setup_intent: setupIntents,
  subscription: subscriptions,
  'test_helpers.test_clock': testClocks,
};

/** The ways to continue a path from a member: to an object by its id, into a part of the same object, or to a list that is included on request. */
type Way =
  | { to: string }
  | { within: string }
  | { list: string; of(store: Store.Store, row: Row): Page<object> };

const to = (name: string): Way => ({ to: name });
const within = (name: string): Way => ({ within: name });

const payment = { charge: to('charge'), payment_intent: to('payment_intent') };
const payer = { customer: to('customer') };

/** For each object, and each part of one, the members that `expand[]` can name. */
const ways: Record<string, Record<string, Way>> = {
  charge: { ...payer, balance_transaction: to('balance_transaction'), payment_intent: to('payment_intent') },
  'checkout.session': {
    ...payer,
    invoice: to('invoice'),
    line_items: { list: 'item', of: (_store, row) => lineItems(row as CheckoutSession) },
    payment_intent: to('payment_intent'),
    setup_intent: to('setup_intent'),
    subscription: to('subscription'),
  },
  customer: {
    invoice_settings: within('customer.invoice_settings'),
    test_clock: to('test_helpers.test_clock'),
  },
  'customer.invoice_settings': { default_payment_method: to('payment_method') },
  dispute: payment,
  invoice: {
    ...payer,
    default_payment_method: to('payment_method'),
    parent: within('invoice.parent'),
    payments: { list: 'invoice_payment', of: paymentsOf },
  },
  'invoice.parent': { subscription_details: within('invoice.parent.subscription_details') },
  'invoice.parent.subscription_details': { subscription: to('subscription') },
  invoice_payment: { invoice: to('invoice'), payment: within('invoice_payment.payment') },
  'invoice_payment.payment': payment,
  setup_intent: { ...payer, payment_method: to('payment_method') },
  payment_intent: { ...payer, latest_charge: to('charge'), payment_method: to('payment_method') },
  payment_method: payer,
  price: { product: to('product') },
  'radar.early_fraud_warning': payment,
  refund: { ...payment, balance_transaction: to('balance_transaction') },
  review: payment,
  subscription: {
    ...payer,
    default_payment_method: to('payment_method'),
    items: within('subscription.items'),
    latest_invoice: to('invoice'),
    test_clock: to('test_helpers.test_clock'),
  },
  'subscription.items': { data: within('subscription_item') },
  subscription_item: { price: within('price') },
};

const depthMax = 4;

/** Null where every path can be expanded in an answer of this kind. */
export function refusePaths(gives: string, isList: boolean, paths: readonly string[]): Refusal | null {
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > depthMax) return invalid(`You cannot expand more than ${depthMax} levels: ${path}`);
    if (isList && segments.shift() !== 'data') {
      return invalid(`This property cannot be expanded (${path}); in a list, begin with data.`, {
        param: 'expand',
      });
    }
    const unknown = unknownSegment(gives, segments);
    if (unknown !== null) {
      return invalid(`This property cannot be expanded (${unknown}).`, { param: 'expand' });
    }
  }
  return null;
}

/** Returns the first segment that does not lead on from the one before; null when the whole path can be expanded. */
function unknownSegment(gives: string, segments: readonly string[]): string | null {
  let kind = gives;
  let way: Way | undefined;
  for (const [place, segment] of segments.entries()) {
    if (way !== undefined && 'list' in way && segment === 'data') continue;
    way = ways[kind]?.[segment];
    const endsWithin = way !== undefined && 'within' in way && place === segments.length - 1;
    if (way === undefined || endsWithin) return segment;
    kind = 'to' in way ? way.to : 'within' in way ? way.within : way.list;
  }
  return null;
}

/** The object as a caller sees it, references at `paths` (checked before) replaced by what they name. */
export function show(store: Store.Store, object: object, paths: readonly string[]): object {
  if ('data' in object && Array.isArray(object.data))
    return showList(store, { ...object, data: object.data }, paths);
  return showAs(store, 'object' in object ? String(object.object) : '', object, paths);
}

function showList(store: Store.Store, list: { data: object[] }, paths: readonly string[]): object {
  const inner = below('data', paths);
  return { ...list, data: list.data.map((row) => show(store, row, inner)) };
}

function showAs(store: Store.Store, kind: string, object: object, paths: readonly string[]): object {
  const result = shown(object);
  for (const [member, way] of Object.entries(ways[kind] ?? {})) {
    if (!paths.some((path) => path === member || path.startsWith(`${member}.`))) continue;
    const deeper = below(member, paths);
    result[member] =
      'list' in way
        ? showList(store, way.of(store, object as Row), deeper)
        : 'within' in way
          ? showPart(store, way.within, result[member], deeper)
          : showReference(store, way.to, result[member], deeper);
  }
  return result;
}

function showPart(store: Store.Store, kind: string, value: unknown, paths: readonly string[]): unknown {
  const part = (one: object) => showAs(store, kind, one, paths);
  if (Array.isArray(value)) return value.map(part);
  return typeof value === 'object' && value !== null ? part(value) : value;
}

/** Returns the object that an id names; anything else, or the id of a forgotten object, as it is. */
function showReference(store: Store.Store, kind: string, value: unknown, paths: readonly string[]): unknown {
  const table = tables[kind];
  const row = table && typeof value === 'string' ? Store.get(store, table, value) : undefined;
  return row === undefined ? value : show(store, row, paths);
}

/** Returns the rest of each path that continues from `member`. */
function below(member: string, paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith(`${member}.`)).map((path) => path.slice(member.length + 1));
}

/** All of a session's lines, as the list that `line_items` is. */
function lineItems({ id, _line_items }: CheckoutSession): Page<object> {
  const url = `/v1/checkout/sessions/${id}/line_items`;
  return { object: 'list', url, has_more: false, data: _line_items.map(shown) };
}

function paymentsOf(store: Store.Store, { id }: Row): Page<object> {
  const url = `/v1/invoice_payments?invoice=${id}`;
  return { object: 'list', url, has_more: false, data: InvoicePayment.paymentsOfInvoice({ store }, id) };
}
