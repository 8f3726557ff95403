import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Customer from '../objects/customer.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { isRefusal, missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const paymentMethods: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/payment_methods',
    gives: 'payment_method',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      customer: text().optional(),
      type: z.enum(['card']).optional(),
    } satisfies Known<Stripe.PaymentMethodListParams>),
    run: ({ store }, { customer, type: _type, ...page }) => {
      const rows = Store.all(store, PaymentMethod.paymentMethods).filter(
        (method) => method.customer !== null && (customer === undefined || method.customer === customer),
      );
      return List.page(rows, '/v1/payment_methods', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/payment_methods/:id',
    gives: 'payment_method',
    params: z.strictObject({}),
    run: (act, _params, id) => PaymentMethod.resolve(act, id),
  }),
  route({
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    gives: 'payment_method',
    params: z.strictObject({ customer: text() } satisfies Known<Stripe.PaymentMethodAttachParams>),
    run: (act, { customer }, id) => {
      const method = PaymentMethod.resolve(act, id);
      if (isRefusal(method)) return method;
      if (!Store.get(act.store, Customer.customers, customer))
        return missing('customer', customer, 'customer');
      return PaymentMethod.refuseUse(method, customer) ?? PaymentMethod.attach(act, method, customer);
    },
  }),
];
