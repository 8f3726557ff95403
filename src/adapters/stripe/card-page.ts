import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { CardPage, Checkout, KeptCard } from '../../payment/processor.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import { createPast } from './stored-fault.ts';

/** Opens a page that saves a card. It accepts only cards: other methods, such as Link, cannot be charged everywhere without their holder. */
export async function openCardPage(
  stripe: Stripe,
  page: CardPage,
): Promise<Pick<Checkout, 'session' | 'url'> & { expiresMs: number }> {
  const { reference, customer, message, success, cancel, isTaxed, expiresMs } = page;
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: 'setup',
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    client_reference_id: reference,
    ...(customer === null ? { customer_creation: 'always' } : { customer }),
    custom_text: { submit: { message } },
    ...(isTaxed && { billing_address_collection: 'required' as const }),
    setup_intent_data: { metadata: { reference } },
    success_url: success,
    cancel_url: cancel,
    ...(expiresMs !== null && { expires_at: Math.floor(expiresMs / 1000) }),
  };
  const session =
    expiresMs === null
      ? await stripe.checkout.sessions.create(params)
      : await createPast(`card_${reference}${isTaxed ? '_tax' : ''}`, (options) =>
          stripe.checkout.sessions.create(params, options),
        );
  // The response to a repeated request is the first one, so the page's current state has to be read.
  const now = await stripe.checkout.sessions.retrieve(session.id);
  return {
    session: now.id,
    url: now.status === 'open' ? now.url : null,
    expiresMs: now.expires_at * 1000,
  };
}

/** Returns the card that was saved on a completed card page, or null when there is no such page or it is not completed. */
export async function read(stripe: Stripe, session: string): Promise<KeptCard | null> {
  if (!/^cs_\w{1,250}$/.test(session)) return null;
  try {
    return kept(
      await stripe.checkout.sessions.retrieve(session, { expand: ['setup_intent.payment_method'] }),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) return null;
    throw error;
  }
}

/** Returns the card saved on a page whose `setup_intent.payment_method` is expanded; null unless it is a completed card page. */
export function kept({
  mode,
  status,
  client_reference_id: reference,
  setup_intent: intent,
  customer,
  customer_details,
  created,
}: Stripe.Checkout.Session): KeptCard | null {
  if (mode !== 'setup' || status !== 'complete' || !reference || customer === null) return null;
  const method = typeof intent === 'object' ? intent?.payment_method : null;
  if (typeof method !== 'object' || !method?.card) return null;
  const { brand, last4 } = method.card;
  return {
    reference,
    card: {
      customer: typeof customer === 'string' ? customer : customer.id,
      method: method.id,
      brand,
      last4,
    },
    email: customer_details?.email ?? null,
    createdMs: created * 1000,
  };
}

/** Returns the customer and the method that a subscription is charged with each period. */
export async function renewalOf(stripe: Stripe, id: string) {
  const { customer, items } = await stripe.subscriptions.retrieve(id);
  const price = items.data[0]?.price;
  return {
    customer: typeof customer === 'string' ? customer : customer.id,
    amount: Money.ofCents(price?.unit_amount ?? 0),
    every: price?.recurring?.interval ?? 'month',
  };
}

/** Deletes a customer. One that does not exist is deleted. */
export async function eraseCustomer(stripe: Stripe, id: string): Promise<void> {
  try {
    await stripe.customers.del(id);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== 'resource_missing')
      throw error;
  }
}

/** Makes a card pay for a subscription from now on, and for its open invoice at once. After a decline the invoice stays open. */
export async function use(stripe: Stripe, id: string, { customer, method }: SavedCard): Promise<void> {
  const found = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  const owner = typeof found.customer === 'string' ? found.customer : found.customer.id;
  if (owner !== customer || found.ended_at !== null) return;
  await stripe.subscriptions.update(id, { default_payment_method: method });
  const invoice = found.latest_invoice;
  if (typeof invoice !== 'object' || invoice?.status !== 'open' || !invoice.id) return;
  try {
    await stripe.invoices.pay(invoice.id, { payment_method: method });
  } catch (error) {
    // The invoice was declined, or paid at this moment: the subscription's status shows which.
    const isKnown =
      error instanceof Stripe.errors.StripeCardError ||
      error instanceof Stripe.errors.StripeInvalidRequestError;
    if (!isKnown) throw error;
  }
}
