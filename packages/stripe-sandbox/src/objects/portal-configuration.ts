import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** The features of the portal. */
export type PortalConfiguration = Stored<Stripe.BillingPortal.Configuration>;
type Features = Stripe.BillingPortal.Configuration.Features;

export const portalConfigurations = Store.table<PortalConfiguration>('portal_configurations');

export type ConfigurationDraft = {
  features: {
    customer_update?:
      | {
          enabled?: boolean | undefined;
          allowed_updates?: Features['customer_update']['allowed_updates'] | undefined;
        }
      | undefined;
    invoice_history?: { enabled: boolean } | undefined;
    payment_method_update?: { enabled: boolean } | undefined;
    subscription_cancel?: { enabled: boolean } | undefined;
    subscription_update?: { enabled: boolean } | undefined;
  };
  metadata?: Record<string, string> | null | undefined;
  default_return_url?: string | null | undefined;
};

export function create(
  ctx: RequestContext,
  { features, metadata, default_return_url }: ConfigurationDraft,
): PortalConfiguration {
  const configuration = Store.put(ctx.store, portalConfigurations, {
    id: id('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: ctx.now,
    default_return_url: default_return_url ?? null,
    features: {
      customer_update: {
        allowed_updates: features.customer_update?.allowed_updates ?? [],
        enabled: features.customer_update?.enabled ?? features.customer_update?.allowed_updates !== undefined,
      },
      invoice_history: { enabled: features.invoice_history?.enabled ?? false },
      payment_method_update: {
        enabled: features.payment_method_update?.enabled ?? false,
        payment_method_configuration: null,
      },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: features.subscription_cancel?.enabled ?? false,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: features.subscription_update?.enabled ?? false,
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: metadata ?? {},
    name: null,
    updated: ctx.now,
  });
  Event.record(ctx, 'billing_portal.configuration.created', configuration);
  return configuration;
}

/** The features of a session; those of the default configuration where it names none. */
export function featuresOf(
  ctx: RequestContext,
  configuration: string,
): Pick<Features, 'customer_update' | 'invoice_history' | 'payment_method_update' | 'subscription_cancel'> {
  const found = Store.get(ctx.store, portalConfigurations, configuration);
  return (
    found?.features ?? {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: true,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
    }
  );
}
