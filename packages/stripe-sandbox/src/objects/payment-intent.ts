import { id, secret } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { mergeMetadata } from '../protocol/params.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A payment from its wish to its end: it may be tried several times, and succeeds once. */
export type PaymentIntent = Stored<Stripe.PaymentIntent> & {
  /** The granted token that its last confirmation rests on. */
  _granted_token: string | null;
  /** The checkout session that it belongs to. */
  _session: string | null;
  /** The invoice that it is to pay. */
  _invoice: string | null;
  /** When a payment that is on its way arrives by itself. */
  _settles_at: number | null;
};

export const paymentIntents = Store.table<PaymentIntent>('payment_intents');

export type PaymentIntentDraft = {
  amount: number;
  currency: string;
  customer?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  receipt_email?: string | null | undefined;
  setup_future_usage?: 'off_session' | 'on_session' | undefined;
  automatic_payment_methods: { enabled: boolean; allow_redirects: 'always' | 'never' } | null;
  allowed_payment_method_types?: ('card' | 'link')[] | undefined;
  session?: string;
  hooks?: Stripe.PaymentIntent.Hooks | undefined;
};

/** Creates a payment intent without an attempt to pay. */
export function create(ctx: RequestContext, draft: PaymentIntentDraft): PaymentIntent {
  const intentId = id('pi');
  const intent = Store.put(ctx.store, paymentIntents, {
    id: intentId,
    object: 'payment_intent',
    allowed_payment_method_types: draft.allowed_payment_method_types ?? null,
    amount: draft.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: draft.automatic_payment_methods,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: secret(`${intentId}_secret`),
    confirmation_method: 'automatic',
    created: ctx.now,
    currency: draft.currency,
    customer: draft.customer ?? null,
    customer_account: null,
    description: draft.description ?? null,
    excluded_payment_method_types: null,
    ...(draft.hooks && { hooks: draft.hooks }),
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: mergeMetadata({}, draft.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: draft.allowed_payment_method_types ?? ['card'],
    payment_record: null,
    processing: null,
    receipt_email: draft.receipt_email ?? null,
    review: null,
    setup_future_usage: draft.setup_future_usage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    _granted_token: null,
    _session: draft.session ?? null,
    _invoice: null,
    _settles_at: null,
  });
  Event.record(ctx, 'payment_intent.created', intent);
  return intent;
}

/** The intent with this id. Throws where there is none. */
export function getPaymentIntent({ store }: RequestContext, intentId: string): PaymentIntent {
  const intent = Store.get(store, paymentIntents, intentId);
  if (intent === undefined) throw new Error(`payment intent ${intentId} is gone`);
  return intent;
}

/** Puts `change` into the intent. */
export function update(
  ctx: RequestContext,
  intent: PaymentIntent,
  change: Partial<PaymentIntent>,
): PaymentIntent {
  return Store.put(ctx.store, paymentIntents, { ...intent, ...change });
}

/** Returns true while the intent can be changed, confirmed or canceled. */
export function isOpen({ status }: PaymentIntent): boolean {
  return status !== 'succeeded' && status !== 'canceled' && status !== 'processing';
}

/** Cancels an open intent. */
export function cancel(
  ctx: RequestContext,
  intent: PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): PaymentIntent {
  const cancelled = update(ctx, intent, {
    status: 'canceled',
    canceled_at: ctx.now,
    cancellation_reason: reason,
    next_action: null,
  });
  Event.record(ctx, 'payment_intent.canceled', cancelled);
  return cancelled;
}
