import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { mergeMetadata } from '../protocol/params.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

export type Customer = Omit<Stored<Stripe.Customer>, 'invoice_settings' | 'test_clock'> & {
  invoice_settings: Stored<Stripe.Customer.InvoiceSettings>;
  test_clock: string | null;
  /** Tax ids that its holder gave on a page. */
  _tax_ids: { type: 'eu_vat' | 'gb_vat'; value: string }[];
};

export const customers = Store.table<Customer>('customers');

/** The customer with this id. Throws where there is none. */
export function getCustomer({ store }: RequestContext, customerId: string): Customer {
  const customer = Store.get(store, customers, customerId);
  if (customer === undefined) throw new Error(`customer ${customerId} is gone`);
  return customer;
}

export type CustomerDraft = {
  email?: string | null | undefined;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  description?: string | null | undefined;
  /** Minor units; a negative balance is credit for invoices to come. */
  balance?: number | undefined;
  default_payment_method?: string | null | undefined;
  test_clock?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  address?: Stripe.Address | null | undefined;
};

export function create(ctx: RequestContext, draft: CustomerDraft): Customer {
  const customer = Store.put(ctx.store, customers, {
    id: id('cus'),
    object: 'customer',
    address: draft.address ?? null,
    balance: draft.balance ?? 0,
    created: ctx.now,
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
    _tax_ids: [],
  });
  Event.record(ctx, 'customer.created', customer);
  return customer;
}

/** Removes what identifies the person. */
export function erase(ctx: RequestContext, customerId: string): void {
  const customer = getCustomer(ctx, customerId);
  const none = { email: null, name: null, phone: null, address: null, description: null, _tax_ids: [] };
  Event.record(ctx, 'customer.deleted', Store.put(ctx.store, customers, { ...customer, ...none }));
}

/** Changes what `draft` names; null takes a value away. */
export function update(
  ctx: RequestContext,
  customer: Customer,
  change: Omit<CustomerDraft, 'test_clock'>,
): Customer {
  const { metadata, default_payment_method, ...draft } = change;
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
  const changed = Store.put(ctx.store, customers, {
    ...customer,
    ...given,
    invoice_settings:
      default_payment_method === undefined
        ? customer.invoice_settings
        : { ...customer.invoice_settings, default_payment_method },
    metadata: mergeMetadata(customer.metadata, metadata),
  });
  Event.record(ctx, 'customer.updated', changed, customer);
  return changed;
}
