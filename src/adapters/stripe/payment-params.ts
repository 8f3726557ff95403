import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { Order } from '../../payment/order.ts';
import type { CheckoutPages } from '../../payment/processor.ts';
import type { ShopMark } from './shop-mark.ts';
import type { Calculated } from './tax.ts';

/** Builds the parameters of a hosted page for a single payment. It saves no card, because the payer has agreed to this payment only. */
export function onePayment(
  order: Order,
  mark: ShopMark,
  { title, isTaxed }: Pick<CheckoutPages, 'title' | 'isTaxed'>,
): Stripe.Checkout.SessionCreateParams {
  const price = {
    currency: 'usd',
    unit_amount: cents(order),
    product_data: { name: title },
    ...(isTaxed && { tax_behavior: 'exclusive' as const }),
  };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: price }],
    payment_intent_data: { metadata: { ...about(order, mark), ...(isTaxed && { [taxField]: 'page' }) } },
    ...companyFields,
    ...(isTaxed && { ...taxedPage, invoice_creation: { enabled: true } }),
  };
}

/** Lets a buyer enter a company's name and tax id on any page; the processor checks the format of the tax id. */
export const companyFields = { tax_id_collection: { enabled: true } } as const;

/** Additional parameters for a page whose tax Stripe calculates: it asks for the buyer's address. */
export const taxedPage = {
  automatic_tax: { enabled: true },
  billing_address_collection: 'required',
} as const;

/** Metadata of a payment for its tax: an amount in cents, or `page` when the hosted page calculates it. */
export const taxField = 'tax';

/** Builds the parameters that all charges without a page share. */
export function chargeOf(order: Order, mark: ShopMark, challengeId: string, taxed: Calculated | null) {
  const tax = taxed === null ? 0 : wholeCents(taxed.tax, order.id);
  return {
    amount: cents(order) + tax,
    currency: 'usd',
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const },
    metadata: {
      ...about(order, mark),
      challenge: challengeId,
      ...(taxed && { [taxField]: String(tax) }),
    },
    ...(taxed && { hooks: { inputs: { tax: { calculation: taxed.calculation } } } }),
  };
}

/**
 * Metadata that marks a Stripe object as this shop's and this order's; it suffices to restore the order. Values have at most 500 characters.
 */
export function about({ id, plan, account, period }: Order, { origin }: ShopMark): Record<string, string> {
  const buys = period && { units: String(period.units), terms: JSON.stringify(period.terms) };
  return { shop: origin, order: id, plan, account: account ?? '', ...buys };
}

function cents(order: Order): number {
  return wholeCents(order.amount, order.id);
}

export function wholeCents(amount: Money.Money, subject: string): number {
  const cents = Money.toCents(amount);
  if (cents === null) throw new RangeError(`the amount of ${subject} is not in whole cents`);
  return cents;
}
