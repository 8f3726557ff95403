import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Tax from '../tax.ts';
import type { Stored } from './stored.ts';

/** The tax on something that is about to be sold. */
export type TaxCalculation = Stored<Stripe.Tax.Calculation> & { id: string };

export const taxCalculations = Store.table<TaxCalculation>('tax_calculations');

const lifeSeconds = 90 * 24 * 3_600;

export type TaxCalculationDraft = {
  currency: string;
  line_items: { amount: number; tax_behavior?: 'exclusive' | 'inclusive' | undefined }[];
  place: Tax.Place;
  source: 'billing' | 'shipping' | null;
  ip: string | null;
  taxIds: { type: string; value: string }[];
};

export function create(ctx: RequestContext, draft: TaxCalculationDraft): TaxCalculation {
  const rate = Tax.rateOf(draft.place, draft.taxIds.length > 0);
  const net = draft.line_items.reduce((sum, { amount }) => sum + amount, 0);
  const tax = draft.line_items.reduce((sum, { amount }) => sum + Tax.on(amount, rate), 0);
  return Store.put(ctx.store, taxCalculations, {
    id: id('taxcalc'),
    object: 'tax.calculation',
    amount_total: net + tax,
    currency: draft.currency,
    customer: null,
    customer_details: {
      address: draft.ip === null ? Tax.addressOf(draft.place) : null,
      address_source: draft.source,
      ip_address: draft.ip,
      tax_ids: draft.taxIds,
      taxability_override: 'none',
    },
    expires_at: ctx.now + lifeSeconds,
    livemode: false,
    ship_from_details: null,
    shipping_cost: null,
    tax_amount_exclusive: tax,
    tax_amount_inclusive: 0,
    tax_breakdown: [
      {
        amount: tax,
        inclusive: false,
        tax_rate_details: {
          country: rate.country,
          flat_amount: null,
          percentage_decimal: String(rate.percentage),
          rate_type: 'percentage',
          state: null,
          tax_type: rate.percentage === 0 ? null : 'vat',
        },
        taxability_reason: rate.reason,
        taxable_amount: rate.percentage === 0 ? 0 : net,
      },
    ],
    tax_date: ctx.now,
  });
}
