import { sha256Hex } from '@sluice/kernel/digest';
import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { PeriodTerms } from '../../payment/proration.ts';
import type { SoldPlan } from '../../payment/subscription.ts';
import { createPast } from './stored-fault.ts';

/** The plan, units and terms of one period, as stored in a price. */
export type BoughtPlan = Pick<SoldPlan, 'plan' | 'units' | 'terms'>;

/** Number of cached prices, far above the number that one shop uses: a new price is only needed when a plan's terms change. */
const rememberedMax = 1_000;

/**
 * The products and prices of renewing plans at Stripe: one product per plan and one price per version of its terms. Their names are
 * derived from plan and terms, so they can be found again. A price stores its terms, so an invoice grants exactly what its line charges.
 */
export type PlanPrices = {
  /** Returns the price for these terms. Creates it when there is none yet, only once even when several processes ask. */
  of(sold: SoldPlan): Promise<string>;
  /** Returns what a period at this price buys, or null when the price belongs to another shop. */
  read(price: string): Promise<BoughtPlan | null>;
};

export function openPlanPrices(stripe: Stripe): PlanPrices {
  const ids = new Map<string, string>();
  const bought = new Map<string, BoughtPlan | null>();
  return {
    async of(sold) {
      const key = lookupKey(sold);
      const known = ids.get(key);
      if (known !== undefined) return known;
      const { data } = await stripe.prices.list({ lookup_keys: [key], active: true, limit: 1 });
      return remember(ids, key, data[0]?.id ?? (await make(stripe, sold, key)));
    },
    async read(price) {
      const known = bought.get(price);
      if (known !== undefined) return known;
      return remember(bought, price, boughtBy(await stripe.prices.retrieve(price)));
    },
  };
}

/** Returns what a period at this price buys, or null when the price belongs to another shop. */
export function boughtBy({ metadata: { plan, units, terms } }: Stripe.Price): BoughtPlan | null {
  return plan && units && terms
    ? { plan, units: Number(units), terms: JSON.parse(terms) as PeriodTerms }
    : null;
}

async function make(stripe: Stripe, sold: SoldPlan, key: string): Promise<string> {
  const { plan, product: name, units, terms } = sold;
  const product = `sluice_${sha256Hex(JSON.stringify([plan, name])).slice(0, 32)}`;
  try {
    await stripe.products.create({ id: product, name, metadata: { plan } });
  } catch (error) {
    const isThere =
      error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_already_exists';
    if (!isThere) throw error;
  }
  const params: Stripe.PriceCreateParams = {
    product,
    currency: 'usd',
    unit_amount: wholeCents(terms.price),
    // Stripe never allows this to change for a price: tax is added on top when the seller has it calculated.
    tax_behavior: 'exclusive',
    recurring: { interval: terms.every },
    lookup_key: key,
    // A price that the seller has archived keeps its lookup key but can no longer be bought, so the new price takes the key over.
    transfer_lookup_key: true,
    metadata: { plan, units: String(units), terms: JSON.stringify(terms) },
  };
  const made = await createPast(key, (options) => stripe.prices.create(params, options));
  return made.id;
}

function lookupKey({ plan, product, units, terms }: SoldPlan): string {
  const { every, price, rollover, graceDays } = terms;
  const asset = terms.asset === undefined ? [] : [terms.asset];
  return `sluice_${sha256Hex(JSON.stringify([plan, product, units, every, price, rollover, graceDays, ...asset])).slice(0, 40)}`;
}

function remember<V>(known: Map<string, V>, key: string, value: V): V {
  if (known.size >= rememberedMax) known.clear();
  known.set(key, value);
  return value;
}

/** Converts an amount to be charged to cents. Throws RangeError on fractions of a cent. */
export function wholeCents(amount: Money.Money): number {
  const cents = Money.toCents(amount);
  if (cents === null) throw new RangeError(`${amount} micro-dollars are not whole cents`);
  return cents;
}
