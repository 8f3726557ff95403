import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { Payer } from '../../payment/processor.ts';

/**
 * The features of the portal. The shop itself sells, changes and cancels plans. The email address cannot be changed there,
 * because the shop opens the portal for the address that the account has proved.
 */
const features: Stripe.BillingPortal.ConfigurationCreateParams.Features = {
  customer_update: { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: false },
  subscription_update: { enabled: false },
};
/** Marks the shop's own configuration at the processor. A change of `features` needs another mark. */
const mark = 'sluice-1';
const listedMax = 100;

/** Returns the payer of a subscription. */
export async function payerOf(stripe: Stripe, id: string): Promise<Payer> {
  const {
    customer,
    default_payment_method: method,
    latest_invoice: invoice,
  } = await stripe.subscriptions.retrieve(id, {
    expand: ['customer', 'default_payment_method', 'latest_invoice'],
  });
  const isOpen = typeof invoice === 'object' && invoice?.status === 'open' && invoice.currency === 'usd';
  const isKnown = typeof customer === 'object' && !customer.deleted;
  const card = typeof method === 'object' ? method?.card : null;
  return {
    customer: typeof customer === 'string' ? customer : customer.id,
    email: isKnown ? customer.email : null,
    card: card
      ? { brand: card.brand, last4: card.last4, expMonth: card.exp_month, expYear: card.exp_year }
      : null,
    unpaid: isOpen
      ? {
          amount: Money.ofCents(invoice.amount_remaining),
          nextAttemptMs: invoice.next_payment_attempt === null ? null : invoice.next_payment_attempt * 1_000,
        }
      : null,
  };
}

/** Returns a function that opens the portal for a customer. Its configuration is made once for each account at Stripe, and does not depend on the dashboard. */
export function openPortals(stripe: Stripe): (customer: string, returnUrl: string) => Promise<string> {
  let known: string | null = null;
  return async (customer, return_url) => {
    known ??= await configuration(stripe);
    const { url } = await stripe.billingPortal.sessions.create({
      customer,
      return_url,
      configuration: known,
    });
    return url;
  };
}

/** Finds the configuration, or creates it. A second one, of two processes that start together, does no harm. */
async function configuration(stripe: Stripe): Promise<string> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: listedMax });
  const own = data.find(({ metadata }) => metadata?.shop === mark);
  return (
    own?.id ?? (await stripe.billingPortal.configurations.create({ features, metadata: { shop: mark } })).id
  );
}
