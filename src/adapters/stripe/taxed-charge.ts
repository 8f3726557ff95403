import Stripe from 'stripe';
import type { Order } from '../../payment/order.ts';
import type { ChargeOutcome } from '../../payment/processor.ts';
import type { TaxLocation } from '../../payment/tax.ts';
import * as ChargeFault from './charge-fault.ts';
import * as Tax from './tax.ts';

/**
 * Returns the tax on a charge, or null without a place. Refuses the charge when its tax cannot be calculated or differs from the quoted
 * one. The calculation is the same for the same challenge, as idempotent charges require.
 */
export async function taxFor(
  stripe: Stripe,
  order: Order,
  challengeId: string,
  place: TaxLocation | null,
): Promise<Tax.Calculated | Extract<ChargeOutcome, { kind: 'unavailable' }> | null> {
  if (place === null) return null;
  try {
    const taxed = await Tax.calculate(stripe, order.amount, place, `tax_${challengeId}`);
    const { taxQuote: quoted } = order;
    if (quoted === null || taxed.tax === quoted.tax) return taxed;
    return {
      kind: 'unavailable',
      retries: false,
      detail: `the tax is ${taxed.tax} now, not ${quoted.tax}`,
    };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    return { kind: 'unavailable', retries: false, detail: `tax: ${ChargeFault.describe(error)}` };
  }
}
