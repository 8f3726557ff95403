import type { Stripe } from 'stripe';
import { type CardNetwork, fiveDollars } from './card-network.ts';

export const daySeconds = 86_400;

/** The first of January 2027, noon UTC, in milliseconds. */
export const newYearMs = Date.UTC(2027, 0, 31, 12);

/** A monthly price, as a checkout or a subscription names it inline. */
export function monthly(unit_amount: number) {
  return { currency: 'usd', unit_amount, recurring: { interval: 'month' } } as const;
}

/** A customer who has this card, for invoices too. */
export async function customerWith(
  { stripe }: CardNetwork,
  card = 'pm_card_visa',
  over: Stripe.CustomerCreateParams = {},
): Promise<{ customer: string; method: string }> {
  const { id: customer } = await stripe.customers.create({ email: 'buyer@example.com', ...over });
  const { id: method } = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } });
  return { customer, method };
}

/** A subscription at ninety-nine dollars a month, begun by the API. */
export async function subscribe(
  network: CardNetwork,
  customer: string,
  over: Stripe.SubscriptionCreateParams = {},
): Promise<Stripe.Subscription> {
  const { id: product } = await network.stripe.products.create({ name: 'Start' });
  const price_data = { ...monthly(9_900), product };
  return network.stripe.subscriptions.create({ customer, items: [{ price_data }], ...over });
}

/** Returns the parameters of a checkout for ninety-nine dollars a month. */
export function startPlan(
  over: Stripe.Checkout.SessionCreateParams = {},
): Stripe.Checkout.SessionCreateParams {
  const price_data = { ...monthly(9_900), product_data: { name: 'Start' } };
  return fiveDollars({ mode: 'subscription', line_items: [{ quantity: 1, price_data }], ...over });
}

export const payer = {
  email: 'buyer@example.com',
  number: '4242 4242 4242 4242',
  expiry: '11 / 40',
  cvc: '123',
  name: 'Ada Lovelace',
};

/** Sends the form of a page without following where it leads. */
export function submit(
  { url }: CardNetwork,
  page: string | null,
  fields: Record<string, string>,
): Promise<Response> {
  return fetch(new URL(new URL(page ?? '').pathname, url), {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
}

/** Moves the sandbox's clock on. */
export function advance(network: CardNetwork, days: number, seconds = 0): Promise<unknown> {
  return network.order('/clock', { advance_seconds: days * daySeconds + seconds });
}

export function first<T>(list: { data: T[] }): T {
  const [found] = list.data;
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

/** The period of a subscription, as ISO dates. */
export function periodOf({ items }: Stripe.Subscription): string {
  const { current_period_start, current_period_end } = first(items);
  return [current_period_start, current_period_end]
    .map((second) => new Date(second * 1_000).toISOString().slice(0, 10))
    .join(' to ');
}

/** The types of every event so far, oldest first. */
export async function told({ stripe }: CardNetwork): Promise<string[]> {
  const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return events.map(({ type }) => type).reverse();
}
