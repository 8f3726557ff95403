import * as Tax from '../tax.ts';
import type * as Customer from './customer.ts';

/** The tax of an invoice; null where none is calculated. */
export type Taxes = { rate: Tax.Rate; total: number } | null;

export function placeOf({ address }: Customer.Customer): Tax.Place | null {
  return address?.country ? { country: address.country, postal_code: address.postal_code } : null;
}

/** Tax on `net`, never below zero: a credit that exceeds the charges goes to the balance without tax. */
export function on(net: number, place: Tax.Place, taxIds: Customer.Customer['_tax_ids']): Taxes {
  const rate = Tax.rateOf(place, taxIds.length > 0);
  return { rate, total: Math.max(0, Tax.on(net, rate)) };
}

/** The members of an invoice that describe its tax. */
export function shown(taxes: Taxes, net: number) {
  if (taxes === null) return {};
  const { rate, total } = taxes;
  return {
    automatic_tax: {
      disabled_reason: null,
      enabled: true,
      liability: { type: 'self' as const },
      provider: 'stripe',
      status: 'complete' as const,
    },
    total_taxes: [
      {
        amount: total,
        tax_behavior: 'exclusive' as const,
        tax_rate_details: { tax_rate: `txr_${rate.country.toLowerCase()}` },
        taxability_reason: rate.reason,
        taxable_amount: rate.percentage === 0 ? 0 : net,
        type: 'tax_rate_details' as const,
      },
    ],
  };
}
