import type { Stripe } from 'stripe';
import { z } from 'zod';
import { customers } from '../objects/customer.ts';
import { portalConfigurations } from '../objects/portal-configuration.ts';
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
      configuration: text().optional(),
      customer: text(),
      return_url: url.optional(),
    } satisfies Known<Stripe.BillingPortal.SessionCreateParams>),
    run: (ctx, params) => {
      const { configuration, customer } = params;
      if (Store.get(ctx.store, customers, customer) === undefined)
        return missing('customer', customer, 'customer');
      if (
        configuration !== undefined &&
        Store.get(ctx.store, portalConfigurations, configuration) === undefined
      )
        return missing('billing_portal.configuration', configuration, 'configuration');
      return PortalSession.create(ctx, params);
    },
  }),
];
