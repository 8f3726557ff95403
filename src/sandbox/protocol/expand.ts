import { balanceTransactions } from '../objects/balance-transaction.ts';
import { charges } from '../objects/charge.ts';
import { type CheckoutSession, checkoutSessions } from '../objects/checkout-session.ts';
import { customers } from '../objects/customer.ts';
import { paymentIntents } from '../objects/payment-intent.ts';
import { paymentMethods } from '../objects/payment-method.ts';
import { shown } from '../objects/stored.ts';
import * as Store from '../store.ts';
import type { Page } from './list.ts';
import { invalid, type Refusal } from './refusal.ts';

type Row = { id: string };

const tables: Record<string, Store.Table<Row>> = {
  balance_transaction: balanceTransactions,
  charge: charges,
  'checkout.session': checkoutSessions,
  customer: customers,
  payment_intent: paymentIntents,
  payment_method: paymentMethods,
};

/** For each object, the members that `expand[]` can name, and what they then become. */
const expandable: Record<string, Record<string, string>> = {
  charge: {
    balance_transaction: 'balance_transaction',
    customer: 'customer',
    payment_intent: 'payment_intent',
  },
  'checkout.session': { customer: 'customer', line_items: 'item', payment_intent: 'payment_intent' },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
  payment_intent: { customer: 'customer', latest_charge: 'charge', payment_method: 'payment_method' },
  payment_method: { customer: 'customer' },
  refund: { balance_transaction: 'balance_transaction', charge: 'charge', payment_intent: 'payment_intent' },
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
    let object: string | undefined = gives;
    for (const segment of segments) {
      object = expandable[object]?.[segment];
      if (object === undefined) {
        return invalid(`This property cannot be expanded (${segment}).`, { param: 'expand' });
      }
    }
  }
  return null;
}

/** The object as a caller sees it, references at `paths` (checked before) replaced by what they name. */
export function show(store: Store.Store, object: object, paths: readonly string[]): object {
  if ('data' in object && Array.isArray(object.data)) {
    const inner = paths.map((path) => path.slice('data.'.length)).filter((path) => path !== '');
    return { ...object, data: object.data.map((row: object) => show(store, row, inner)) };
  }
  const kind = 'object' in object ? String(object.object) : '';
  const result = shown(object);
  for (const [member, target] of Object.entries(expandable[kind] ?? {})) {
    if (!paths.some((path) => path === member || path.startsWith(`${member}.`))) continue;
    const deeper = paths
      .filter((path) => path.startsWith(`${member}.`))
      .map((path) => path.slice(member.length + 1));
    const table = tables[target];
    const reference = result[member];
    if (member === 'line_items') {
      result[member] = lineItems(object as CheckoutSession);
    } else if (table !== undefined && typeof reference === 'string') {
      const row = Store.get(store, table, reference);
      result[member] = row === undefined ? reference : show(store, row, deeper);
    }
  }
  return result;
}

/** All of a session's lines, as the list that `line_items` is. */
function lineItems({ id, _line_items }: CheckoutSession): Page<object> {
  const url = `/v1/checkout/sessions/${id}/line_items`;
  return { object: 'list', url, has_more: false, data: _line_items.map(shown) };
}
