import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Tax from '../tax.ts';
import * as Customer from './customer.ts';
import type * as PaymentMethod from './payment-method.ts';

/** The card that a person typed, and where the page asks for it, who they are for the tax. */
export type Payer = PaymentMethod.Details & {
  email: string;
  name: string;
  place: Tax.Place | null;
  business: string | null;
  taxId: string | null;
};

type Session = Pick<Stripe.Checkout.Session, 'amount_subtotal' | 'automatic_tax' | 'total_details'>;

/** Returns the tax and customer details of a session, from the payer's place and what the payer entered. */
export function taxed(session: Session, payer: Payer) {
  const { place, business, email, name, taxId } = payer;
  const customer_details = {
    ...noDetails,
    address: place && Tax.addressOf(place),
    business_name: business,
    email,
    name: business ?? name,
    individual_name: name,
    tax_ids: taxIdsOf(taxId),
  };
  const net = session.amount_subtotal ?? 0;
  const amount_tax =
    session.automatic_tax.enabled && place ? Tax.on(net, Tax.rateOf(place, taxId !== null)) : 0;
  return {
    amount_total: net + amount_tax,
    automatic_tax: session.automatic_tax.enabled
      ? { ...session.automatic_tax, status: 'complete' }
      : session.automatic_tax,
    customer_details,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax },
  };
}

export function taxIdsOf(taxId: string | null): Customer.Customer['_tax_ids'] {
  return taxId === null ? [] : [{ type: taxId.startsWith('GB') ? 'gb_vat' : 'eu_vat', value: taxId }];
}

/** Makes the customer of a session as its payer described themselves. */
export function customerOf(
  ctx: RequestContext,
  details: Stripe.Checkout.Session.CustomerDetails | null,
  email: string,
  name: string,
): string {
  const { address = null, business_name, tax_ids } = details ?? noDetails;
  const customer = Customer.create(ctx, { email, name: business_name ?? name, address });
  const known = (tax_ids ?? []) as Customer.Customer['_tax_ids'];
  return Store.put(ctx.store, Customer.customers, { ...customer, _tax_ids: known }).id;
}

export const noDetails: Stripe.Checkout.Session.CustomerDetails = {
  address: null,
  business_name: null,
  email: null,
  individual_name: null,
  name: null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
};
