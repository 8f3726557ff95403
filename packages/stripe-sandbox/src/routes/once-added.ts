import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Product from '../objects/product.ts';
import { boolean, currency, integer, type Known, metadata, text } from '../protocol/params.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as PriceData from './price-data.ts';

/** Charged once with the invoice that a change makes; a negative amount is a credit. */
export const schema = z.strictObject({
  price_data: z.strictObject({
    currency,
    product: text(),
    tax_behavior: PriceData.ofProduct.tax_behavior,
    unit_amount: integer,
  } satisfies Known<Stripe.SubscriptionUpdateParams.AddInvoiceItem.PriceData>),
  quantity: PriceData.quantity.optional(),
  discountable: boolean.optional(),
  metadata: metadata.optional(),
} satisfies Known<Stripe.SubscriptionUpdateParams.AddInvoiceItem>);

/** Null where each is of a product that there is, in the currency of the subscription. */
export function refuse(
  ctx: RequestContext,
  items: readonly z.infer<typeof schema>[],
  expected: string,
): Refusal | null {
  for (const [place, { price_data }] of items.entries()) {
    const param = `add_invoice_items[${place}][price_data]`;
    if (price_data.currency !== expected)
      return invalid(`All prices of a subscription have the same currency: ${expected}.`, {
        param: `${param}[currency]`,
      });
    if (!Store.get(ctx.store, Product.products, price_data.product))
      return missing('product', price_data.product, `${param}[product]`);
  }
  return null;
}
