import * as Money from '@sluice/kernel/money';
import type { CheckoutContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import type * as Tax from '../payment/tax.ts';

/** The tax of an offer. `unknown`: it needs the buyer's address, or cannot be calculated now. */
export type OfferedTax = { kind: 'untaxed' } | { kind: 'known'; quote: Tax.QuotedTax } | { kind: 'unknown' };

/** The inputs of the tax: the billing address that the buyer sent, and the IP address of the request. */
type Asking = { billingAddress?: Tax.BillingAddress | null; address: string };

/**
 * Calculates the tax that is charged to a card token on top of `amount`, for the billing address in the request, or else for its IP address.
 * On the hosted page, the person enters an address instead.
 */
export async function offered(
  shop: CheckoutContext,
  asking: Asking,
  amount: Money.Money,
): Promise<OfferedTax> {
  if (!shop.isTaxed || !shop.rails.includes('mpp')) return { kind: 'untaxed' };
  const place = placeOf(asking);
  if (place === null) return { kind: 'unknown' };
  try {
    const quote = await shop.processor.quoteTax(amount, place);
    return quote.kind === 'known'
      ? { kind: 'known', quote: { place, tax: Money.ofMicro(quote.tax) } }
      : { kind: 'unknown' };
  } catch (fault) {
    if (!(fault instanceof ProcessorUnavailable)) throw fault;
    shop.report('tax_not_calculated', { reason: fault.message });
    return { kind: 'unknown' };
  }
}

function placeOf({ billingAddress = null, address }: Asking): Tax.TaxLocation | null {
  if (billingAddress !== null) return { address: billingAddress };
  // An IPv6 address is counted by its block elsewhere; the first address of the block is in the same place.
  const ip = address.replace(/\/\d+$/, '');
  return ip === 'unknown' ? null : { ip };
}
