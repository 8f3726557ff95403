import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';

/** What one line of a checkout asks money for. */
export type LineItem = ReturnType<typeof create>;

export type Draft = {
  quantity: number;
  price_data: {
    currency: string;
    /** Minor units. */
    unit_amount: number;
    product_data: { name: string; description?: string | undefined };
    recurring?:
      | { interval: 'day' | 'week' | 'month' | 'year'; interval_count?: number | undefined }
      | undefined;
  };
};

export function create(act: Act, { quantity, price_data: price }: Draft) {
  const amount = price.unit_amount * quantity;
  const { currency, recurring, product_data: product } = price;
  return {
    id: id('li'),
    object: 'item' as const,
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: product.name,
    metadata: {},
    price: {
      id: id('price'),
      object: 'price' as const,
      active: false,
      billing_scheme: 'per_unit' as const,
      created: act.now,
      currency,
      custom_unit_amount: null,
      livemode: false,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: id('prod'),
      recurring: recurring
        ? {
            interval: recurring.interval,
            interval_count: recurring.interval_count ?? 1,
            meter: null,
            trial_period_days: null,
            usage_type: 'licensed' as const,
          }
        : null,
      tax_behavior: 'unspecified' as const,
      tiers_mode: null,
      transform_quantity: null,
      type: recurring ? ('recurring' as const) : ('one_time' as const),
      unit_amount: price.unit_amount,
      /** A decimal in text, as on the wire. */
      unit_amount_decimal: String(price.unit_amount),
    },
    quantity,
    /** What the page says under the name. */
    _note: product.description ?? null,
  };
}
