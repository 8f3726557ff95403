import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Recurring } from './period.ts';
import * as Product from './product.ts';
import type { Stored, Wire } from './stored.ts';

/** What a product costs, once or by the period. */
export type Price = Omit<Wire<Stored<Stripe.Price>>, 'product' | 'recurring' | 'unit_amount'> & {
  product: string;
  recurring: (NonNullable<Wire<Stripe.Price>['recurring']> & Recurring) | null;
  /** Minor units. */
  unit_amount: number;
};

export const prices = Store.table<Price>('prices');

type Interval = { interval: Recurring['interval']; interval_count?: number | undefined };

/** What a price says, wherever it comes from. */
export type Terms = Pick<Price, 'currency' | 'unit_amount'> & { recurring: Recurring | null };

type Draft = {
  currency: string;
  unit_amount: number;
  product: string;
  recurring?: Interval | undefined;
  active?: boolean | undefined;
  lookup_key?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  nickname?: string | undefined;
};

function create(act: Act, draft: Draft): Price {
  const recurring = readInterval(draft.recurring);
  const price = Store.put(act.store, prices, {
    id: id('price'),
    object: 'price',
    active: draft.active ?? true,
    billing_scheme: 'per_unit',
    created: act.now,
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
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring === null ? 'one_time' : 'recurring',
    unit_amount: draft.unit_amount,
    unit_amount_decimal: String(draft.unit_amount),
  });
  Event.record(act, 'price.created', price);
  return price;
}

/** A price as a caller names one: by its id, or by what it is to say. */
export type Given = {
  price?: string | undefined;
  price_data?:
    | {
        currency: string;
        unit_amount: number;
        product?: string | undefined;
        product_data?: Product.Draft | undefined;
        recurring?: Interval | undefined;
        active?: boolean | undefined;
        lookup_key?: string | undefined;
        metadata?: Record<string, string> | null | undefined;
        nickname?: string | undefined;
      }
    | undefined;
};

/** A price that was asked for and can be had; `make` makes it where there is none yet. */
export type Wanted = { terms: Terms; make(act: Act): Price };

/**
 * What `given`, named `at` by its caller, asks for; checked but not yet made, so that a request refused for another
 * reason leaves nothing behind.
 */
export function want(
  { store }: Act,
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
    make: (act) => create(act, { ...data, product: draft ? Product.create(act, draft).id : (product ?? '') }),
  };
}

function readInterval(given: Interval | undefined): Recurring | null {
  return given === undefined ? null : { interval: given.interval, interval_count: given.interval_count ?? 1 };
}

/** The older form of a recurring price, which a subscription item still bears. */
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
