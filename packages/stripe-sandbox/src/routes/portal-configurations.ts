import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as PortalConfiguration from '../objects/portal-configuration.ts';
import { boolean, clearable, type Known, list, metadata, url } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { type Route, route } from '../protocol/route.ts';

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;

const path = '/v1/billing_portal/configurations';
const updatesMax = 6;
const feature = z.strictObject({ enabled: boolean });

export const portalConfigurations: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'billing_portal.configuration',
    params: z.strictObject({
      features: z.strictObject({
        customer_update: z
          .strictObject({
            enabled: boolean,
            allowed_updates: list(
              z.enum(['address', 'email', 'name', 'phone', 'shipping', 'tax_id']),
              updatesMax,
            ).optional(),
          } satisfies Known<NonNullable<Features['customer_update']>>)
          .optional(),
        invoice_history: feature.optional(),
        payment_method_update: feature.optional(),
        subscription_cancel: feature.optional(),
        subscription_update: feature.optional(),
      } satisfies Known<Features>),
      default_return_url: z.union([url, clearable()]).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams>),
    run: (ctx, params) => PortalConfiguration.create(ctx, params),
  }),
  listing({
    path,
    gives: 'billing_portal.configuration',
    table: PortalConfiguration.portalConfigurations,
    params: { active: boolean.optional() } satisfies Known<Stripe.BillingPortal.ConfigurationListParams>,
    where: (configuration, { active }) => active === undefined || configuration.active === active,
  }),
  retrieval(path, 'billing_portal.configuration', PortalConfiguration.portalConfigurations),
];
