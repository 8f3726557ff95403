import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Ending from '../billing/ending.ts';
import * as Customer from '../objects/customer.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import * as List from '../protocol/list.ts';
import { clearable, email, integer, type Known, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

const path = '/v1/customers';

const shared = {
  email: z.union([email, z.literal('').transform(() => null)]).optional(),
  name: clearable(256).optional(),
  phone: clearable(20).optional(),
  description: clearable().optional(),
  balance: integer.optional(),
  invoice_settings: z.strictObject({ default_payment_method: clearable() }).optional(),
  metadata: metadata.optional(),
} satisfies Known<Stripe.CustomerCreateParams & Stripe.CustomerUpdateParams>;

const update = z.strictObject(shared);

/** Reads the parameters, including the default card for invoices, which must belong to this customer; `customer` is null on creation. */
function read(
  { store }: RequestContext,
  { invoice_settings: settings, ...params }: z.infer<typeof update>,
  customer: string | null,
): Customer.CustomerDraft | Refusal {
  if (settings === undefined) return params;
  const { default_payment_method } = settings;
  if (default_payment_method !== null) {
    const method = Store.get(store, PaymentMethod.paymentMethods, default_payment_method);
    const isOwn = method !== undefined && method.customer === customer && customer !== null;
    if (!isOwn) {
      const param = 'invoice_settings[default_payment_method]';
      return missing('PaymentMethod', default_payment_method, param);
    }
  }
  return { ...params, default_payment_method };
}

export const customers: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'customer',
    params: z.strictObject({
      ...shared,
      test_clock: text().optional(),
    } satisfies Known<Stripe.CustomerCreateParams>),
    run: (ctx, { test_clock, ...params }) => {
      if (test_clock !== undefined && !Store.get(ctx.store, TestClock.testClocks, test_clock)) {
        return missing('test_clock', test_clock, 'test_clock');
      }
      const draft = read(ctx, params, null);
      if (isRefusal(draft)) return draft;
      return Customer.create(TestClock.at(ctx, test_clock ?? null), { ...draft, test_clock });
    },
  }),
  listing({
    path,
    gives: 'customer',
    table: Customer.customers,
    params: {
      created: List.created,
      email: text().optional(),
      test_clock: text().optional(),
    } satisfies Known<Stripe.CustomerListParams>,
  }),
  retrieval(path, 'customer', Customer.customers),
  route({
    method: 'POST',
    path: `${path}/:id`,
    gives: 'customer',
    params: update,
    run: (ctx, params, id) => {
      const customer = Store.get(ctx.store, Customer.customers, id);
      if (customer === undefined) return missing('customer', id);
      const draft = read(ctx, params, id);
      return isRefusal(draft) ? draft : Customer.update(ctx, customer, draft);
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:id`,
    gives: 'customer',
    params: z.strictObject({}),
    run: (ctx, _, id) => {
      if (Store.get(ctx.store, Customer.customers, id) === undefined) return missing('customer', id);
      for (const { id: subscription, customer, ended_at } of Store.all(ctx.store, Subscription.subscriptions))
        if (customer === id && ended_at === null) Ending.endSubscription(ctx, subscription, { reason: null });
      for (const method of Store.all(ctx.store, PaymentMethod.paymentMethods))
        if (method.customer === id)
          Store.put(ctx.store, PaymentMethod.paymentMethods, { ...method, customer: null });
      // Payments, invoices and subscriptions refer to the customer, so its row stays, without personal data.
      Customer.erase(ctx, id);
      return { id, object: 'customer', deleted: true };
    },
  }),
];
