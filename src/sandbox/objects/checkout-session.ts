import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import * as Start from '../billing/start.ts';
import { mergeMetadata } from '../protocol/params.ts';
import { isRefusal, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as Confirmation from './confirmation.ts';
import * as Customer from './customer.ts';
import * as Event from './event.ts';
import * as InvoiceLine from './invoice-line.ts';
import * as LineItem from './line-item.ts';
import * as PaymentIntent from './payment-intent.ts';
import * as PaymentMethod from './payment-method.ts';
import type * as Price from './price.ts';
import type { Stored } from './stored.ts';
import type * as Subscription from './subscription.ts';
import * as TestClock from './test-clock.ts';

/** A visit to the hosted payment page. */
export type CheckoutSession = Stored<Stripe.Checkout.Session> & {
  success_url: string;
  amount_total: number;
  currency: string;
  _line_items: LineItem.LineItem[];
  _payment_intent_data: PaymentIntentData;
  _subscription_data: SubscriptionData;
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

export type Draft = {
  mode: 'payment' | 'subscription';
  currency: string;
  line_items: { price: Price.Price; quantity: number }[];
  success_url: string;
  allowed_payment_method_types?: 'card'[] | undefined;
  cancel_url?: string | undefined;
  client_reference_id?: string | undefined;
  customer?: string | undefined;
  customer_creation?: 'always' | 'if_required' | undefined;
  customer_email?: string | undefined;
  expires_at?: number | undefined;
  locale?: 'auto' | 'en' | undefined;
  metadata?: Record<string, string> | null | undefined;
  payment_intent_data?: PaymentIntentData | undefined;
  submit_type?: 'auto' | 'pay' | undefined;
  subscription_data?: SubscriptionData | undefined;
};

const lifeSeconds = 24 * 3_600;

/** A page to pay on, open until it is paid or expires. */
export function create(act: Act, draft: Draft): CheckoutSession {
  const sessionId = id('cs_test');
  const lines = draft.line_items.map(({ price, quantity }) => LineItem.create(act.store, price, quantity));
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  return Store.put(act.store, checkoutSessions, {
    ...constants,
    id: sessionId,
    allowed_payment_method_types: draft.allowed_payment_method_types ?? null,
    amount_subtotal: total,
    amount_total: total,
    cancel_url: draft.cancel_url ?? null,
    client_reference_id: draft.client_reference_id ?? null,
    created: act.now,
    currency: draft.currency,
    customer: draft.customer ?? null,
    customer_creation:
      draft.mode === 'payment' && !draft.customer ? (draft.customer_creation ?? 'if_required') : null,
    customer_details: draft.customer_email ? { ...noDetails, email: draft.customer_email } : null,
    customer_email: draft.customer_email ?? null,
    expires_at: draft.expires_at ?? act.now + lifeSeconds,
    locale: draft.locale ?? null,
    metadata: mergeMetadata({}, draft.metadata),
    mode: draft.mode,
    payment_method_collection: draft.mode === 'payment' ? 'if_required' : 'always',
    submit_type: draft.submit_type ?? null,
    success_url: draft.success_url,
    url: `${act.publicUrl}/c/pay/${sessionId}`,
    _line_items: lines,
    _payment_intent_data: draft.payment_intent_data ?? {},
    _subscription_data: draft.subscription_data ?? {},
    _intent: null,
  });
}

/** The card that a person typed. */
export type Payer = PaymentMethod.Details & { email: string; name: string };

/** Tries to pay the session by a card: the intent afterwards (paid, on its way, or in need of 3-D Secure), or the decline. */
export function pay(act: Act, session: CheckoutSession, payer: Payer): PaymentIntent.PaymentIntent | Refusal {
  const method = PaymentMethod.create(act, payer);
  const intent = intentOf(act, session) ?? firstIntent(act, session, payer);
  const result = Confirmation.confirm(act, intent, {
    method,
    grantedToken: null,
    offSession: false,
    errorOnRequiresAction: false,
    returnUrl: session.url,
  });
  if (!isRefusal(result)) follow(act, result);
  return result;
}

/** The session's intent; undefined before the first try. */
export function intentOf(act: Act, session: CheckoutSession): PaymentIntent.PaymentIntent | undefined {
  return Store.get(act.store, PaymentIntent.paymentIntents, session._intent ?? '');
}

/**
 * Does to a session what follows from its payment: it closes when it is paid, or on its way; how the latter ends is
 * told when it is known.
 */
export function follow(act: Act, intent: PaymentIntent.PaymentIntent): void {
  const session = Store.get(act.store, checkoutSessions, intent._session ?? '');
  if (session === undefined) return;
  const isPaid = intent.status === 'succeeded';
  if (session.status === 'open' && (isPaid || intent.status === 'processing')) {
    complete(act, session, intent);
  } else if (session.status === 'complete' && session.payment_status === 'unpaid' && isPaid) {
    const paid = Store.put(act.store, checkoutSessions, { ...session, payment_status: 'paid' });
    Event.record(act, 'checkout.session.async_payment_succeeded', paid);
  } else if (session.status === 'complete' && intent.status === 'requires_payment_method') {
    Event.record(act, 'checkout.session.async_payment_failed', session);
  }
}

function complete(act: Act, session: CheckoutSession, intent: PaymentIntent.PaymentIntent): void {
  const method = Store.get(act.store, PaymentMethod.paymentMethods, intent.payment_method ?? '');
  const { email = null, name = null } = method?.billing_details ?? {};
  const subscription = session.mode === 'subscription' ? subscribe(act, session, intent) : null;
  const done = Store.put(act.store, checkoutSessions, {
    ...session,
    customer: intent.customer,
    customer_details: { ...noDetails, email, name, individual_name: name },
    invoice: subscription?.latest_invoice ?? null,
    payment_intent: subscription === null ? intent.id : null,
    payment_status: intent.status === 'succeeded' ? 'paid' : 'unpaid',
    status: 'complete',
    subscription: subscription?.id ?? null,
    url: null,
  });
  Event.record(act, 'checkout.session.completed', done);
}

/** Begins what the session is for; its first invoice is paid by the session's own payment. */
function subscribe(
  given: Act,
  { _line_items: lines, _subscription_data: data }: CheckoutSession,
  intent: PaymentIntent.PaymentIntent,
): Subscription.Subscription {
  const customer = Customer.of(given, intent.customer ?? '');
  const act = TestClock.at(given, customer.test_clock);
  const draft = {
    customer,
    items: lines
      .filter(({ price }) => price.recurring !== null)
      .map(({ price, quantity }) => ({ price, quantity })),
    default_payment_method: intent.payment_method,
    description: data.description,
    metadata: mergeMetadata({}, data.metadata),
  };
  const once = lines
    .filter(({ price }) => price.recurring === null)
    .map(({ price, quantity }) => InvoiceLine.ofPrice(act.store, price, quantity, act.now));
  const bill = Start.prepare(act, draft, once);
  return Start.open(act, { ...bill, waiting: [], leavesBalance: true }, intent);
}

/** Closes an open session unpaid; a payment under way in it is cancelled. */
export function expire(act: Act, session: CheckoutSession): CheckoutSession {
  const intent = intentOf(act, session);
  if (intent !== undefined && PaymentIntent.isOpen(intent)) PaymentIntent.cancel(act, intent, 'abandoned');
  const expired = Store.put(act.store, checkoutSessions, { ...session, status: 'expired', url: null });
  Event.record(act, 'checkout.session.expired', expired);
  return expired;
}

/** Where the payer's browser goes after paying. */
export function successUrl({ id: sessionId, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', sessionId);
}

function firstIntent(
  act: Act,
  session: CheckoutSession,
  { email, name }: Payer,
): PaymentIntent.PaymentIntent {
  const isSubscription = session.mode === 'subscription';
  const data: PaymentIntentData = isSubscription
    ? { description: 'Subscription creation', setup_future_usage: 'off_session' }
    : session._payment_intent_data;
  const wantsCustomer = session.customer_creation === 'always' || data.setup_future_usage !== undefined;
  const customer = session.customer ?? (wantsCustomer ? Customer.create(act, { email, name }).id : undefined);
  const intent = PaymentIntent.create(act, {
    ...data,
    amount: session.amount_total,
    currency: session.currency,
    customer,
    automatic_payment_methods: null,
    session: session.id,
  });
  Store.put(act.store, checkoutSessions, { ...session, _intent: intent.id });
  return intent;
}

const noDetails: Stripe.Checkout.Session.CustomerDetails = {
  address: null,
  business_name: null,
  email: null,
  individual_name: null,
  name: null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
};

/** What is the same in every session of the sandbox. */
const constants = {
  object: 'checkout.session',
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_account: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  payment_status: 'unpaid',
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: 'open',
  subscription: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted_page',
  wallet_options: null,
} satisfies Partial<Stripe.Checkout.Session>;
