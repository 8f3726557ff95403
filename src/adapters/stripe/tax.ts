import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { TaxQuote } from '../../payment/processor.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import type { TaxLocation } from '../../payment/tax.ts';
import { wholeCents } from './plan-price.ts';
import { createPast } from './stored-fault.ts';

/** A calculation that a payment refers to, so that Stripe records its tax and reverses it with refunds. */
export type Calculated = { tax: Money.Money; calculation: string };

/** The lifetime and the number of cached quotes. Stripe charges for calculations, and anyone may ask for a price. */
const rememberedMs = 10 * 60_000;
const rememberedMax = 5_000;

/** Calculates the tax on an amount. The same key returns the same calculation. Rejects when Stripe cannot locate the buyer. */
export async function calculate(
  stripe: Stripe,
  amount: Money.Money,
  place: TaxLocation,
  idempotencyKey?: string,
): Promise<Calculated> {
  const params: Stripe.Tax.CalculationCreateParams = {
    currency: 'usd',
    line_items: [{ amount: wholeCents(amount), reference: 'purchase', tax_behavior: 'exclusive' }],
    customer_details: detailsOf(place),
  };
  const made =
    idempotencyKey === undefined
      ? await stripe.tax.calculations.create(params)
      : await createPast(idempotencyKey, (options) => stripe.tax.calculations.create(params, options));
  if (!made.id) throw new Error('the tax calculation has no id');
  return { tax: Money.ofCents(made.tax_amount_exclusive), calculation: made.id };
}

function detailsOf(place: TaxLocation): Stripe.Tax.CalculationCreateParams.CustomerDetails {
  if ('ip' in place) return { ip_address: place.ip };
  const { country, postalCode, state } = place.address;
  return {
    address: { country, ...(postalCode && { postal_code: postalCode }), ...(state && { state }) },
    address_source: 'billing',
  };
}

/** Returns the billing address of a saved card, or null when it was saved without one. */
export async function placeOfCard(stripe: Stripe, { method }: SavedCard): Promise<TaxLocation | null> {
  const { address } = (await stripe.paymentMethods.retrieve(method)).billing_details;
  if (!address?.country) return null;
  return { address: { country: address.country, postalCode: address.postal_code, state: address.state } };
}

/** Returns a function that quotes the tax on an amount and caches quotes. It rejects when Stripe is unavailable or refuses the shop. */
export function quotes(stripe: Stripe): (amount: Money.Money, place: TaxLocation) => Promise<TaxQuote> {
  const remembered = new Map<string, { quote: TaxQuote; untilMs: number }>();
  return async (amount, place) => {
    const key = JSON.stringify([amount, place]);
    const known = remembered.get(key);
    if (known && known.untilMs > Date.now()) return known.quote;
    const quote = await calculate(stripe, amount, place).then(
      ({ tax }): TaxQuote => ({ kind: 'known', tax }),
      unlocated,
    );
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(key, { quote, untilMs: Date.now() + rememberedMs });
    return quote;
  };
}

function unlocated(error: unknown): TaxQuote {
  if (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'customer_tax_location_invalid'
  )
    return { kind: 'unknown', detail: error.message };
  throw error;
}

/** Returns the tax in a payment made on a hosted page; zero for any other payment. */
export async function onPage(stripe: Stripe, payment: string): Promise<Money.Money> {
  const { data } = await stripe.checkout.sessions.list({ payment_intent: payment, limit: 1 });
  return inSession(data[0]);
}

export function inSession(session: Stripe.Checkout.Session | undefined): Money.Money {
  return Money.ofCents(session?.total_details?.amount_tax ?? 0);
}

/** Returns the page of a payment's invoice, or of the invoice itself when there was nothing left to pay; null when there is none. */
export async function invoicePage(stripe: Stripe, payment: string): Promise<string | null> {
  const invoice = payment.startsWith('in_') ? payment : await invoiceOf(stripe, payment);
  return invoice === null ? null : ((await stripe.invoices.retrieve(invoice)).hosted_invoice_url ?? null);
}

async function invoiceOf(stripe: Stripe, payment: string): Promise<string | null> {
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: payment },
    limit: 1,
  });
  const invoice = data[0]?.invoice;
  return typeof invoice === 'string' ? invoice : (invoice?.id ?? null);
}
