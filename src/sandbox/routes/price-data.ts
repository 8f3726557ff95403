import { z } from 'zod';
import { currency, integer, metadata, text } from '../protocol/params.ts';

/** How often, as every price says it. */
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

/** A price that is told where it is used, for a product that there is; every such place takes these. */
export const ofProduct = { currency, unit_amount: unitAmount, product: text() };
