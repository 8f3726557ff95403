import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as TaxCalculation from '../objects/tax-calculation.ts';
import { currency, integer, type Known, list, text } from '../protocol/params.ts';
import { retrieval } from '../protocol/reading.ts';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Tax from '../tax.ts';

const path = '/v1/tax/calculations';
const linesMax = 100;
const taxIdsMax = 10;

const address = z.strictObject({
  country: z.string().length(2),
  city: z.string().optional(),
  line1: z.string().optional(),
  line2: z.string().optional(),
  postal_code: z.string().optional(),
  state: z.string().optional(),
} satisfies Known<Stripe.Tax.CalculationCreateParams.CustomerDetails.Address>);

const creation = z.strictObject({
  currency,
  line_items: list(
    z.strictObject({
      amount: integer,
      quantity: integer.optional(),
      reference: text(500).optional(),
      tax_behavior: z.enum(['exclusive']).optional(),
      tax_code: text(50).optional(),
    } satisfies Known<Stripe.Tax.CalculationCreateParams.LineItem>),
    linesMax,
  ),
  customer_details: z
    .strictObject({
      address: address.optional(),
      address_source: z.enum(['billing', 'shipping']).optional(),
      ip_address: text(50).optional(),
      tax_ids: list(z.strictObject({ type: text(20), value: text(50) }), taxIdsMax).optional(),
    } satisfies Known<Stripe.Tax.CalculationCreateParams.CustomerDetails>)
    .optional(),
} satisfies Known<Stripe.Tax.CalculationCreateParams>);

function create(
  ctx: RequestContext,
  params: z.infer<typeof creation>,
): TaxCalculation.TaxCalculation | Refusal {
  const { address: given, ip_address: ip, address_source, tax_ids } = params.customer_details ?? {};
  if (given !== undefined && address_source === undefined)
    return invalid('You must provide customer_details[address_source] when an address is provided.', {
      code: 'parameter_missing',
      param: 'customer_details[address_source]',
    });
  const place = given ?? (ip === undefined ? null : Tax.placeOfIp(ip));
  if (!Tax.isLocated(place))
    return invalid(
      'We could not determine the customer\u2019s tax location based on the provided customer address.',
      { code: 'customer_tax_location_invalid', param: 'customer_details' },
    );
  return TaxCalculation.create(ctx, {
    currency: params.currency,
    line_items: params.line_items,
    place,
    source: given === undefined ? null : (address_source ?? null),
    ip: given === undefined ? (ip ?? null) : null,
    taxIds: tax_ids ?? [],
  });
}

/** As it is once the seller has set tax up. */
const settings = {
  object: 'tax.settings',
  defaults: { provider: 'stripe', tax_behavior: 'exclusive', tax_code: 'txcd_10000000' },
  head_office: { address: Tax.addressOf({ country: 'US', postal_code: '94107' }) },
  livemode: false,
  status: 'active',
  status_details: { active: {} },
} as const;

export const taxCalculations: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/tax/settings',
    gives: 'tax.settings',
    params: z.strictObject({}),
    run: () => settings,
  }),
  route({ method: 'POST', path, gives: 'tax.calculation', params: creation, run: create }),
  retrieval(path, 'tax.calculation', TaxCalculation.taxCalculations),
];
