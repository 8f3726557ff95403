import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Customer from '../objects/customer.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import { type Known, text } from '../protocol/params.ts';
import { listing } from '../protocol/reading.ts';
import { isRefusal, missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const paymentMethods: readonly Route[] = [
  listing({
    path: '/v1/payment_methods',
    gives: 'payment_method',
    table: PaymentMethod.paymentMethods,
    params: {
      customer: text().optional(),
      type: z.enum(['card']).optional(),
    } satisfies Known<Stripe.PaymentMethodListParams>,
    where: (method, { customer }) =>
      method.customer !== null && (customer === undefined || method.customer === customer),
  }),
  route({
    method: 'GET',
    path: '/v1/payment_methods/:id',
    gives: 'payment_method',
    params: z.strictObject({}),
    run: (ctx, _params, id) => PaymentMethod.resolve(ctx, id),
  }),
  route({
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    gives: 'payment_method',
    params: z.strictObject({ customer: text() } satisfies Known<Stripe.PaymentMethodAttachParams>),
    run: (ctx, { customer }, id) => {
      const method = PaymentMethod.resolve(ctx, id);
      if (isRefusal(method)) return method;
      if (!Store.get(ctx.store, Customer.customers, customer))
        return missing('customer', customer, 'customer');
      return PaymentMethod.refuseUse(method, customer) ?? PaymentMethod.attach(ctx, method, customer);
    },
  }),
];
