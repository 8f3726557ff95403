import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Charge from '../objects/charge.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const charges: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/charges',
    gives: 'charge',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      customer: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.ChargeListParams>),
    run: ({ store }, { created, customer, payment_intent, ...page }) => {
      const rows = Store.all(store, Charge.charges).filter(
        (charge) =>
          List.isCreatedWithin(charge.created, created) &&
          (customer === undefined || charge.customer === customer) &&
          (payment_intent === undefined || charge.payment_intent === payment_intent),
      );
      return List.page(rows, '/v1/charges', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/charges/:id',
    gives: 'charge',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, Charge.charges, id) ?? missing('charge', id),
  }),
];
