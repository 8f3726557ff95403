import Stripe from 'stripe';
import * as BillingDetails from '../../payment/billing-details.ts';
import { type Order, pageGraceMs } from '../../payment/order.ts';
import {
  type Checkout,
  CheckoutMismatch,
  type CheckoutPages,
  ProcessorUnavailable,
} from '../../payment/processor.ts';
import * as Billing from './billing.ts';
import * as CardPage from './card-page.ts';
import * as PaymentIntent from './payment-intent.ts';
import { about, onePayment } from './payment-params.ts';
import type { PlanPrices } from './plan-price.ts';
import type { ShopMark } from './shop-mark.ts';
import { createPast } from './stored-fault.ts';
import * as Tax from './tax.ts';

/** Opens the hosted page of an order. A repeated call returns the same page, or a new one after that page was retired. */
export async function openCheckout(
  stripe: Stripe,
  prices: PlanPrices,
  order: Order,
  mark: ShopMark,
  pages: CheckoutPages,
): Promise<Checkout> {
  // An order that replaces a prepaid period is a single payment too: a price that contains a credit must not renew.
  const bought =
    order.period && !order.period.terms.replaces
      ? await Billing.checkoutParams(prices, order, order.period, pages, mark)
      : onePayment(order, mark, pages);
  const { email = null } = pages;
  const params = (lasts: boolean): Stripe.Checkout.SessionCreateParams => ({
    ...bought,
    ...(email !== null && { customer_email: email }),
    client_reference_id: order.id,
    metadata: about(order, mark),
    success_url: pages.success,
    cancel_url: pages.cancel,
    // Depends on the order alone and not on the time, because Stripe requires a repeated request to be identical.
    ...(lasts && { expires_at: Math.ceil((order.expiresMs + pageGraceMs) / 1000) }),
    // Prices and the ledger are in US dollars: a converted price would be a payment in another currency.
    adaptive_pricing: { enabled: false },
  });
  const key = `checkout_${order.id}_${order.pagesClosed}${pages.isTaxed ? '_tax' : ''}`;
  // A page whose creation failed is harmless, because its URL is unknown.
  const create = (lasts: boolean) =>
    createPast(lasts ? key : `${key}_day`, (options) =>
      stripe.checkout.sessions.create(params(lasts), options),
    ).catch((error: unknown) => {
      // With status 409, the same request is still in progress.
      const isMismatch = error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode !== 409;
      throw isMismatch ? new CheckoutMismatch(error.message, { cause: error }) : error;
    });
  // With a large clock difference the page's lifetime would be invalid. It then ends a day from now, by Stripe's clock.
  const session = await create(true).catch((error: unknown) =>
    error instanceof Stripe.errors.StripeInvalidRequestError && error.param === 'expires_at'
      ? create(false)
      : Promise.reject(error),
  );
  // The response to a repeated request is the first one, so the page's current state has to be read.
  return read(stripe, prices, session.id, mark);
}

/** Reads the state of a hosted page, and the payment made on it. */
export async function read(
  stripe: Stripe,
  prices: PlanPrices,
  id: string,
  mark: ShopMark,
): Promise<Checkout> {
  const session = await stripe.checkout.sessions.retrieve(id, {
    expand: ['payment_intent', 'setup_intent.payment_method'],
  });
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const invoice = typeof session.invoice === 'string' ? session.invoice : (session.invoice?.id ?? null);
  const isPaid = session.payment_status === 'paid';
  return {
    session: session.id,
    order: session.client_reference_id,
    url: session.status === 'open' ? session.url : null,
    state: await stateOf(stripe, session, intent, invoice),
    payment:
      intent !== null && isPaid ? { ...PaymentIntent.read(intent, mark), tax: Tax.inSession(session) } : null,
    invoice: invoice === null ? null : await Billing.readInvoice(stripe, prices, invoice, mark),
    kept: CardPage.kept(session),
    buyer: isPaid ? buyerOf(session) : null,
    email: session.customer_email,
  };
}

/** Returns the company that the payer entered. */
function buyerOf({
  customer_details: details,
}: Pick<Stripe.Checkout.Session, 'customer_details'>): BillingDetails.BillingDetails | null {
  if (details === null) return null;
  const { business_name, name, tax_ids, address } = details;
  return BillingDetails.ofCardPage({
    business: business_name ?? null,
    name,
    taxId: tax_ids?.[0]?.value ?? null,
    address: address && { ...address, postalCode: address.postal_code },
  });
}

/** Closes a hosted page unless it is complete, and returns its state. Rejects with ProcessorUnavailable while it is still open. */
export async function close(
  stripe: Stripe,
  prices: PlanPrices,
  id: string,
  mark: ShopMark,
): Promise<Checkout> {
  try {
    await stripe.checkout.sessions.expire(id);
  } catch (error) {
    // Stripe refuses to close a page that is not open; its state is read below.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  const checkout = await read(stripe, prices, id, mark);
  if (checkout.state === 'open') throw new ProcessorUnavailable(`page ${id} could not be closed`);
  return checkout;
}

async function stateOf(
  stripe: Stripe,
  { status, payment_status }: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
  invoice: string | null,
): Promise<Checkout['state']> {
  if (status !== 'complete') return status === 'open' ? 'open' : 'expired';
  if (payment_status !== 'unpaid') return 'paid';
  const slow = intent ?? (invoice === null ? null : await Billing.readAttempt(stripe, invoice));
  // A bank account may need verification first (`requires_action`), which takes days: the payment has not failed.
  return slow?.status === 'canceled' || slow?.status === 'requires_payment_method' ? 'failed' : 'processing';
}
