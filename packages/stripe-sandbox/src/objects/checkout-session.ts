import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import * as Start from '../billing/start.ts';
import { mergeMetadata } from '../protocol/params.ts';
import { isRefusal, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { constants } from './checkout-constants.ts';
import * as CheckoutPayer from './checkout-payer.ts';
import * as Confirmation from './confirmation.ts';
import * as Customer from './customer.ts';
import * as Event from './event.ts';
import * as InvoiceLine from './invoice-line.ts';
import * as LineItem from './line-item.ts';
import * as PaymentIntent from './payment-intent.ts';
import * as PaymentInvoice from './payment-invoice.ts';
import * as PaymentMethod from './payment-method.ts';
import type * as Price from './price.ts';
import * as SetupIntent from './setup-intent.ts';
import type { Stored } from './stored.ts';
import type * as Subscription from './subscription.ts';
import * as TestClock from './test-clock.ts';

/** A visit to the hosted payment page. */
export type CheckoutSession = Stored<Stripe.Checkout.Session> & {
  success_url: string;
  /** Null where a card is kept and nothing is paid. */
  amount_total: number | null;
  currency: string;
  _line_items: LineItem.LineItem[];
  _payment_intent_data: PaymentIntentData;
  _subscription_data: SubscriptionData;
  _setup_intent_data: SetupIntent.SetupIntentDraft;
  /** The intent of the visit from its first try on; `payment_intent` shows it once it is paid. */
  _intent: string | null;
};

type PaymentIntentData = {
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  receipt_email?: string | undefined;
  setup_future_usage?: 'off_session' | 'on_session' | undefined;
};

type SubscriptionData = {
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export const checkoutSessions = Store.table<CheckoutSession>('checkout_sessions');

export type CheckoutSessionDraft = {
  mode: 'payment' | 'subscription' | 'setup';
  currency: string;
  line_items: { price: Price.Price; quantity: number }[];
  success_url: string;
  adaptive_pricing?: { enabled?: boolean | undefined } | undefined;
  allowed_payment_method_types?: 'card'[] | undefined;
  cancel_url?: string | undefined;
  client_reference_id?: string | undefined;
  custom_text?: { submit?: { message: string } | undefined } | undefined;
  customer?: string | undefined;
  customer_creation?: 'always' | 'if_required' | undefined;
  customer_email?: string | undefined;
  expires_at?: number | undefined;
  locale?: 'auto' | 'en' | undefined;
  metadata?: Record<string, string> | null | undefined;
  payment_intent_data?: PaymentIntentData | undefined;
  submit_type?: 'auto' | 'pay' | undefined;
  setup_intent_data?: SetupIntent.SetupIntentDraft | undefined;
  subscription_data?: SubscriptionData | undefined;
  automatic_tax?: { enabled: boolean } | undefined;
  billing_address_collection?: 'auto' | 'required' | undefined;
  invoice_creation?: { enabled: boolean } | undefined;
  tax_id_collection?: { enabled: boolean } | undefined;
};

const lifeSeconds = 24 * 3_600;

/** A page to pay on, open until it is paid or expires. */
export function create(ctx: RequestContext, draft: CheckoutSessionDraft): CheckoutSession {
  const sessionId = id('cs_test');
  const lines = draft.line_items.map(({ price, quantity }) => LineItem.create(ctx.store, price, quantity));
  const isSetup = draft.mode === 'setup';
  const total = isSetup ? null : lines.reduce((sum, line) => sum + line.amount_total, 0);
  return Store.put(ctx.store, checkoutSessions, {
    ...constants,
    id: sessionId,
    // An account converts prices unless a session says that it does not.
    adaptive_pricing: { enabled: draft.adaptive_pricing?.enabled ?? true },
    allowed_payment_method_types: draft.allowed_payment_method_types ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: draft.automatic_tax?.enabled ? taxAtPayersPlace : constants.automatic_tax,
    billing_address_collection: draft.billing_address_collection ?? null,
    cancel_url: draft.cancel_url ?? null,
    client_reference_id: draft.client_reference_id ?? null,
    created: ctx.now,
    custom_text: { ...constants.custom_text, submit: draft.custom_text?.submit ?? null },
    currency: draft.currency,
    ...customerMembers(draft),
    expires_at: draft.expires_at ?? ctx.now + lifeSeconds,
    invoice_creation: draft.invoice_creation ? PaymentInvoice.wanted(draft.invoice_creation) : null,
    ...(draft.tax_id_collection && {
      tax_id_collection: { ...draft.tax_id_collection, required: 'never' as const },
    }),
    locale: draft.locale ?? null,
    metadata: mergeMetadata({}, draft.metadata),
    mode: draft.mode,
    payment_method_collection: draft.mode === 'payment' ? 'if_required' : 'always',
    payment_status: isSetup ? 'no_payment_required' : 'unpaid',
    setup_intent: isSetup ? SetupIntent.create(ctx, draft.setup_intent_data ?? {}).id : null,
    submit_type: draft.submit_type ?? null,
    success_url: draft.success_url,
    url: `${ctx.publicUrl}/c/pay/${sessionId}`,
    _line_items: lines,
    _payment_intent_data: draft.payment_intent_data ?? {},
    _setup_intent_data: draft.setup_intent_data ?? {},
    _subscription_data: draft.subscription_data ?? {},
    _intent: null,
  });
}

/** Tax that is calculated once the payer has entered a place. */
const taxAtPayersPlace = {
  enabled: true,
  liability: { type: 'self' },
  provider: 'stripe',
  status: 'requires_location_inputs',
} as const;

/** Returns the members of a new session that describe its customer. */
function customerMembers({ mode, customer, customer_creation, customer_email }: CheckoutSessionDraft) {
  return {
    customer: customer ?? null,
    customer_creation:
      mode !== 'subscription' && !customer ? (customer_creation ?? ('if_required' as const)) : null,
    customer_details: customer_email ? { ...CheckoutPayer.noDetails, email: customer_email } : null,
    customer_email: customer_email ?? null,
  };
}

/** Tries to pay the session by a card: the intent afterwards (paid, on its way, or in need of 3-D Secure), or the decline. */
export function pay(
  ctx: RequestContext,
  given: CheckoutSession,
  payer: CheckoutPayer.Payer,
): PaymentIntent.PaymentIntent | Refusal {
  const method = PaymentMethod.create(ctx, payer);
  const session = Store.put(ctx.store, checkoutSessions, { ...given, ...CheckoutPayer.taxed(given, payer) });
  const intent = intentFor(ctx, session, payer);
  const result = Confirmation.confirm(ctx, intent, {
    method,
    grantedToken: null,
    offSession: false,
    errorOnRequiresAction: false,
    returnUrl: session.url,
  });
  if (!isRefusal(result)) follow(ctx, result);
  return result;
}

/** The session's intent for what is due now: another try may be from another place. */
function intentFor(
  ctx: RequestContext,
  session: CheckoutSession,
  payer: CheckoutPayer.Payer,
): PaymentIntent.PaymentIntent {
  const intent = intentOf(ctx, session);
  return intent === undefined
    ? firstIntent(ctx, session, payer)
    : PaymentIntent.update(ctx, intent, { amount: session.amount_total ?? 0 });
}

/** The session's intent; undefined before the first try. */
export function intentOf(
  ctx: RequestContext,
  session: CheckoutSession,
): PaymentIntent.PaymentIntent | undefined {
  return Store.get(ctx.store, PaymentIntent.paymentIntents, session._intent ?? '');
}

/**
 * Updates a session from its payment. The session completes when the payment succeeds or is processing; the outcome of a processing payment
 * is recorded as an event when it is known.
 */
export function follow(ctx: RequestContext, intent: PaymentIntent.PaymentIntent): void {
  const session = Store.get(ctx.store, checkoutSessions, intent._session ?? '');
  if (session === undefined) return;
  const isPaid = intent.status === 'succeeded';
  if (session.status === 'open' && (isPaid || intent.status === 'processing')) {
    complete(ctx, session, intent);
  } else if (session.status === 'complete' && session.payment_status === 'unpaid' && isPaid) {
    const paid = Store.put(ctx.store, checkoutSessions, {
      ...session,
      payment_status: 'paid',
      invoice: session.invoice ?? PaymentInvoice.write(ctx, session, intent),
    });
    Event.record(ctx, 'checkout.session.async_payment_succeeded', paid);
  } else if (session.status === 'complete' && intent.status === 'requires_payment_method') {
    Event.record(ctx, 'checkout.session.async_payment_failed', session);
  }
}

function complete(ctx: RequestContext, session: CheckoutSession, intent: PaymentIntent.PaymentIntent): void {
  const subscription = session.mode === 'subscription' ? subscribe(ctx, session, intent) : null;
  const done = Store.put(ctx.store, checkoutSessions, {
    ...session,
    customer: intent.customer,
    invoice:
      subscription?.latest_invoice ??
      (intent.status === 'succeeded' ? PaymentInvoice.write(ctx, session, intent) : null),
    payment_intent: subscription === null ? intent.id : null,
    payment_status: intent.status === 'succeeded' ? 'paid' : 'unpaid',
    status: 'complete',
    subscription: subscription?.id ?? null,
    url: null,
  });
  Event.record(ctx, 'checkout.session.completed', done);
}

/** Begins what the session is for; its first invoice is paid by the session's own payment. */
function subscribe(
  given: RequestContext,
  { _line_items: lines, _subscription_data: data, automatic_tax }: CheckoutSession,
  intent: PaymentIntent.PaymentIntent,
): Subscription.Subscription {
  const customer = Customer.getCustomer(given, intent.customer ?? '');
  const ctx = TestClock.at(given, customer.test_clock);
  const draft = {
    customer,
    items: lines
      .filter(({ price }) => price.recurring !== null)
      .map(({ price, quantity }) => ({ price, quantity })),
    default_payment_method: intent.payment_method,
    description: data.description,
    metadata: mergeMetadata({}, data.metadata),
    automaticTax: automatic_tax.enabled,
  };
  const once = lines
    .filter(({ price }) => price.recurring === null)
    .map(({ price, quantity }) => InvoiceLine.ofPrice(ctx.store, price, quantity, ctx.now));
  const bill = Start.prepare(ctx, draft, once);
  return Start.startSubscription(ctx, { ...bill, waiting: [], leavesBalance: true }, intent);
}

/** Closes an open session unpaid; a payment under way in it is cancelled. */
export function expire(ctx: RequestContext, session: CheckoutSession): CheckoutSession {
  const intent = intentOf(ctx, session);
  if (intent !== undefined && PaymentIntent.isOpen(intent)) PaymentIntent.cancel(ctx, intent, 'abandoned');
  const expired = Store.put(ctx.store, checkoutSessions, { ...session, status: 'expired', url: null });
  Event.record(ctx, 'checkout.session.expired', expired);
  return expired;
}

/** Returns the URL that the payer's browser is redirected to after paying. */
export function successUrl({ id: sessionId, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', sessionId);
}

function firstIntent(
  ctx: RequestContext,
  session: CheckoutSession,
  { email, name }: CheckoutPayer.Payer,
): PaymentIntent.PaymentIntent {
  const isSubscription = session.mode === 'subscription';
  const data: PaymentIntentData = isSubscription
    ? { description: 'Subscription creation', setup_future_usage: 'off_session' }
    : session._payment_intent_data;
  const wantsCustomer =
    session.customer_creation === 'always' ||
    data.setup_future_usage !== undefined ||
    session.invoice_creation?.enabled === true;
  const customer =
    session.customer ??
    (wantsCustomer ? CheckoutPayer.customerOf(ctx, session.customer_details, email, name) : undefined);
  const intent = PaymentIntent.create(ctx, {
    ...data,
    amount: session.amount_total ?? 0,
    currency: session.currency,
    customer,
    automatic_payment_methods: null,
    session: session.id,
  });
  Store.put(ctx.store, checkoutSessions, { ...session, _intent: intent.id });
  return intent;
}
