import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Customer from '../objects/customer.ts';
import * as List from '../protocol/list.ts';
import { clearable, email, type Known, metadata, text } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const draft = z.strictObject({
  email: z.union([email, z.literal('').transform(() => null)]).optional(),
  name: clearable(256).optional(),
  phone: clearable(20).optional(),
  description: clearable().optional(),
  metadata: metadata.optional(),
} satisfies Known<Stripe.CustomerCreateParams & Stripe.CustomerUpdateParams>);

export const customers: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/customers',
    gives: 'customer',
    params: draft,
    run: (act, params) => Customer.create(act, params),
  }),
  route({
    method: 'GET',
    path: '/v1/customers',
    gives: 'customer',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      email: text().optional(),
    } satisfies Known<Stripe.CustomerListParams>),
    run: ({ store }, { created, email: wanted, ...page }) => {
      const rows = Store.all(store, Customer.customers).filter(
        (customer) =>
          List.isCreatedWithin(customer.created, created) &&
          (wanted === undefined || customer.email === wanted),
      );
      return List.page(rows, '/v1/customers', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customers/:id',
    gives: 'customer',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, Customer.customers, id) ?? missing('customer', id),
  }),
  route({
    method: 'POST',
    path: '/v1/customers/:id',
    gives: 'customer',
    params: draft,
    run: (act, params, id) => {
      const customer = Store.get(act.store, Customer.customers, id);
      return customer === undefined ? missing('customer', id) : Customer.update(act, customer, params);
    },
  }),
];
