import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Review from '../objects/review.ts';
import * as List from '../protocol/list.ts';
import type { Known } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const path = '/v1/reviews';

export const reviews: readonly Route[] = [
  listing({
    path,
    gives: 'review',
    table: Review.reviews,
    params: { created: List.created } satisfies Known<Stripe.ReviewListParams>,
    // As at Stripe, only open reviews are listed.
    where: ({ open }) => open,
  }),
  retrieval(path, 'review', Review.reviews),
  route({
    method: 'POST',
    path: `${path}/:id/approve`,
    gives: 'review',
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const review = Store.get(ctx.store, Review.reviews, id);
      if (review === undefined) return missing('review', id);
      return review.open
        ? Review.close(ctx, review, 'approved')
        : invalid('This review has already been closed.');
    },
  }),
];
