import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { mergeMetadata } from '../protocol/params.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

export type Customer = Omit<Stored<Stripe.Customer>, 'invoice_settings' | 'test_clock'> & {
  invoice_settings: Stored<Stripe.Customer.InvoiceSettings>;
  test_clock: string | null;
};

export const customers = Store.table<Customer>('customers');

/** The customer with this id. Throws where there is none. */
export function of({ store }: Act, customerId: string): Customer {
  const customer = Store.get(store, customers, customerId);
  if (customer === undefined) throw new Error(`customer ${customerId} is gone`);
  return customer;
}

export type Draft = {
  email?: string | null | undefined;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  description?: string | null | undefined;
  /** Minor units; a negative balance is credit for invoices to come. */
  balance?: number | undefined;
  default_payment_method?: string | null | undefined;
  test_clock?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(act: Act, draft: Draft): Customer {
  const customer = Store.put(act.store, customers, {
    id: id('cus'),
    object: 'customer',
    address: null,
    balance: draft.balance ?? 0,
    created: act.now,
    currency: null,
    default_source: null,
    delinquent: false,
    description: draft.description ?? null,
    discount: null,
    email: draft.email ?? null,
    invoice_prefix: null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: draft.default_payment_method ?? null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: mergeMetadata({}, draft.metadata),
    name: draft.name ?? null,
    next_invoice_sequence: 1,
    phone: draft.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: draft.test_clock ?? null,
  });
  Event.record(act, 'customer.created', customer);
  return customer;
}

/** Changes what `draft` names; null takes a value away. */
export function update(act: Act, customer: Customer, change: Omit<Draft, 'test_clock'>): Customer {
  const { metadata, default_payment_method, ...draft } = change;
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
  const changed = Store.put(act.store, customers, {
    ...customer,
    ...given,
    invoice_settings:
      default_payment_method === undefined
        ? customer.invoice_settings
        : { ...customer.invoice_settings, default_payment_method },
    metadata: mergeMetadata(customer.metadata, metadata),
  });
  Event.record(act, 'customer.updated', changed, customer);
  return changed;
}
