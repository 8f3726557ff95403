import type { Stripe } from 'stripe';
import { z } from 'zod';
import { customers } from '../objects/customer.ts';
import * as PortalSession from '../objects/portal-session.ts';
import { type Known, text, url } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const portalSessions: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    gives: 'billing_portal.session',
    params: z.strictObject({
      customer: text(),
      return_url: url.optional(),
    } satisfies Known<Stripe.BillingPortal.SessionCreateParams>),
    run: (ctx, params) =>
      Store.get(ctx.store, customers, params.customer) === undefined
        ? missing('customer', params.customer, 'customer')
        : PortalSession.create(ctx, params),
  }),
];
