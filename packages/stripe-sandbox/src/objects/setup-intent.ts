import { id, secret } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { mergeMetadata } from '../protocol/params.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A card that its holder lets be charged later, without a payment now. */
export type SetupIntent = Stored<Stripe.SetupIntent>;

export const setupIntents = Store.table<SetupIntent>('setup_intents');

export type SetupIntentDraft = {
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(ctx: RequestContext, draft: SetupIntentDraft): SetupIntent {
  const intentId = id('seti');
  const intent = Store.put(ctx.store, setupIntents, {
    id: intentId,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: secret(`${intentId}_secret`),
    created: ctx.now,
    customer: null,
    customer_account: null,
    description: draft.description ?? null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: mergeMetadata({}, draft.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: 'off_session',
  });
  Event.record(ctx, 'setup_intent.created', intent);
  return intent;
}

/** The card is kept with this customer. */
export function succeed(
  ctx: RequestContext,
  intent: SetupIntent,
  method: string,
  customer: string,
): SetupIntent {
  const done = Store.put(ctx.store, setupIntents, {
    ...intent,
    customer,
    payment_method: method,
    status: 'succeeded',
  });
  Event.record(ctx, 'setup_intent.succeeded', done);
  return done;
}

/** The bank declined the card. The intent stays open for another one. */
export function fail(
  ctx: RequestContext,
  intent: SetupIntent,
  error: NonNullable<SetupIntent['last_setup_error']>,
): void {
  const failed = Store.put(ctx.store, setupIntents, {
    ...intent,
    last_setup_error: error,
    latest_attempt: id('setatt'),
  });
  Event.record(ctx, 'setup_intent.setup_failed', failed);
}
