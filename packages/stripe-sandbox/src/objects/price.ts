import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Recurring } from './period.ts';
import * as Product from './product.ts';
import type { Stored, Wire } from './stored.ts';

/** The price of a product, one-time or recurring. */
export type Price = Omit<Wire<Stored<Stripe.Price>>, 'product' | 'recurring' | 'unit_amount'> & {
  product: string;
  recurring: (NonNullable<Wire<Stripe.Price>['recurring']> & Recurring) | null;
  /** Minor units. */
  unit_amount: number;
};

export const prices = Store.table<Price>('prices');

type Interval = { interval: Recurring['interval']; interval_count?: number | undefined };

/** The terms of a price that exists or is given as `price_data`. */
export type PriceTerms = Pick<Price, 'currency' | 'unit_amount'> & { recurring: Recurring | null };

type Draft = {
  currency: string;
  unit_amount: number;
  product: string;
  recurring?: Interval | undefined;
  active?: boolean | undefined;
  lookup_key?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  nickname?: string | undefined;
  tax_behavior?: 'exclusive' | 'unspecified' | undefined;
};

function create(ctx: RequestContext, draft: Draft): Price {
  const recurring = readInterval(draft.recurring);
  const price = Store.put(ctx.store, prices, {
    id: id('price'),
    object: 'price',
    active: draft.active ?? true,
    billing_scheme: 'per_unit',
    created: ctx.now,
    currency: draft.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: draft.lookup_key ?? null,
    metadata: draft.metadata ?? {},
    nickname: draft.nickname ?? null,
    product: draft.product,
    recurring:
      recurring === null
        ? null
        : { ...recurring, meter: null, trial_period_days: null, usage_type: 'licensed' },
    tax_behavior: draft.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring === null ? 'one_time' : 'recurring',
    unit_amount: draft.unit_amount,
    unit_amount_decimal: String(draft.unit_amount),
  });
  Event.record(ctx, 'price.created', price);
  return price;
}

/** The price that a shop named so; null where there is none. */
export function byLookupKey(store: Store.Store, key: string): Price | null {
  return Store.all(store, prices).find(({ lookup_key }) => lookup_key === key) ?? null;
}

/** A price as a caller names one: by its id, or by what it is to say. */
export type Given = {
  price?: string | undefined;
  price_data?:
    | {
        currency: string;
        unit_amount: number;
        product?: string | undefined;
        product_data?: Product.ProductDraft | undefined;
        recurring?: Interval | undefined;
        active?: boolean | undefined;
        lookup_key?: string | undefined;
        metadata?: Record<string, string> | null | undefined;
        nickname?: string | undefined;
        tax_behavior?: 'exclusive' | 'unspecified' | undefined;
      }
    | undefined;
};

/** A price that was asked for and can be had; `make` makes it where there is none yet. */
export type Wanted = { terms: PriceTerms; make(ctx: RequestContext): Price };

/**
 * Checks the price that a request names or describes in the parameter `at`. The price is created later, so that a request that is refused for
 * another reason creates nothing.
 */
export function want(
  { store }: RequestContext,
  { price: priceId, price_data: data }: Given,
  at: string,
): Wanted | Refusal {
  if ((priceId === undefined) === (data === undefined)) {
    const message = 'Give a price or price_data, one of the two.';
    return invalid(message, { code: 'parameter_missing', param: `${at}[price]` });
  }
  if (data !== undefined) return wantNew(store, { active: false, ...data }, `${at}[price_data]`);
  const price = Store.get(store, prices, priceId ?? '');
  if (price === undefined) return missing('price', priceId ?? '', `${at}[price]`);
  return { terms: price, make: () => price };
}

/** A price that there is not yet, for a product that there is or is not yet. */
export function wantNew(
  store: Store.Store,
  data: NonNullable<Given['price_data']>,
  at: string | null,
): Wanted | Refusal {
  const { product, product_data: draft, currency, unit_amount } = data;
  const param = at === null ? 'product' : `${at}[product]`;
  if ((product === undefined) === (draft === undefined)) {
    const message = 'Give a product or product_data, one of the two.';
    return invalid(message, { code: 'parameter_missing', param });
  }
  if (product !== undefined && !Store.get(store, Product.products, product)) {
    return missing('product', product, param);
  }
  return {
    terms: { currency, unit_amount, recurring: readInterval(data.recurring) },
    make: (ctx) => create(ctx, { ...data, product: draft ? Product.create(ctx, draft).id : (product ?? '') }),
  };
}

function readInterval(given: Interval | undefined): Recurring | null {
  return given === undefined ? null : { interval: given.interval, interval_count: given.interval_count ?? 1 };
}

/** The older representation of a recurring price, which subscription items still contain. */
export function asPlan(price: Price): Wire<Stripe.Plan> {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}
