import { z } from 'zod';
import { currency, integer, metadata, text } from '../protocol/params.ts';

/** The interval of a recurring price, as in all parameters. */
export const recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: integer.refine((count) => count >= 1 && count <= 36, 'Invalid interval_count.').optional(),
});

export const unitAmount = integer.refine((amount) => amount >= 0, 'unit_amount must not be negative.');

export const productData = z.strictObject({
  name: text(250),
  description: text(1_000).optional(),
  metadata: metadata.optional(),
});

const quantityMax = 999_999;
export const quantity = integer.refine((count) => count >= 1 && count <= quantityMax, 'Invalid quantity.');

/** An inline price for an existing product, with the parameters that all its places share. */
export const ofProduct = {
  currency,
  unit_amount: unitAmount,
  product: text(),
  tax_behavior: z.enum(['exclusive', 'unspecified']).optional(),
};
