import type { Act } from '../act.ts';
import * as Confirmation from '../objects/confirmation.ts';
import * as Customer from '../objects/customer.ts';
import * as Event from '../objects/event.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoicePayment from '../objects/invoice-payment.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import { invalid, isRefusal, type Refusal, refuse } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as Dunning from './dunning.ts';

/** A payment for a bill, and why it has not gone through, where it has not. */
export type Tried = { intent: PaymentIntent.PaymentIntent; refusal: Refusal | null };

/** The card that pays for a subscription: its own, or else its customer's. */
export function methodOf(
  act: Act,
  { default_payment_method }: Pick<Subscription.Subscription, 'default_payment_method'>,
  customer: Customer.Customer,
): PaymentMethod.PaymentMethod | null {
  const methodId = default_payment_method ?? customer.invoice_settings.default_payment_method;
  return Store.get(act.store, PaymentMethod.paymentMethods, methodId ?? '') ?? null;
}

export const noMethod = invalid(
  'This customer has no attached payment source or default payment method. Give the subscription a default_payment_method, or the customer invoice_settings[default_payment_method].',
  { code: 'resource_missing' },
);

/** A payment of what the bill asks for, before there is an invoice; with `method` it is tried at once. */
export function prepay(
  act: Act,
  bill: Invoice.Bill,
  method: PaymentMethod.PaymentMethod | null,
  offSession: boolean,
): Tried | null {
  const amount = Invoice.amountDue(bill);
  if (amount === 0) return null;
  const isNew = bill.reason === 'subscription_create';
  const intent = PaymentIntent.create(act, {
    amount,
    currency: bill.subscription.currency,
    customer: bill.customer.id,
    description: isNew ? 'Subscription creation' : 'Subscription update',
    setup_future_usage: isNew ? 'off_session' : undefined,
    automatic_payment_methods: null,
  });
  return method === null ? { intent, refusal: null } : attempt(act, intent, method, offSession);
}

function attempt(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  offSession: boolean,
): Tried {
  const result = Confirmation.confirm(act, intent, {
    method,
    grantedToken: null,
    offSession,
    errorOnRequiresAction: false,
    returnUrl: null,
  });
  if (isRefusal(result)) return { intent: PaymentIntent.of(act, intent.id), refusal: result };
  return { intent: result, refusal: result.status === 'requires_action' ? actionRequired : null };
}

const actionRequired = refuse(402, {
  type: 'card_error',
  code: 'invoice_payment_intent_requires_action',
  message:
    'This payment needs a step of the payer before it can be completed, by the PaymentIntent that belongs to the invoice.',
});

/** Writes the bill and closes it at once; `resolve` is to follow when its subscription is stored. */
export function write(act: Act, bill: Invoice.Bill): Invoice.Invoice {
  return Invoice.finalize(act, Invoice.draft(act, bill, null), bill.subscription.metadata);
}

/** Does what follows from how the payment for a closed invoice stands; where nothing is due, it is paid. */
export function resolve(
  act: Act,
  invoice: Invoice.Invoice,
  intent: PaymentIntent.PaymentIntent | null,
): void {
  if (intent === null) {
    settle(act, invoice);
    return;
  }
  const bound = PaymentIntent.update(act, intent, { _invoice: invoice.id });
  const open = Invoice.update(act, invoice.id, { _intent: intent.id });
  InvoicePayment.open(act, open, intent.id);
  const isTried = bound.status !== 'requires_payment_method' || bound.last_payment_error !== null;
  if (isTried) follow(act, bound);
}

/** Tries to pay an open invoice, by `method` or by the card that its subscription names. Null where it went through. */
export function collect(
  act: Act,
  invoice: Invoice.Invoice,
  method?: PaymentMethod.PaymentMethod,
): Refusal | null {
  const customer = Customer.of(act, invoice.customer);
  const subscription = Subscription.of(act, invoice.parent.subscription_details.subscription);
  const chosen = method ?? methodOf(act, subscription, customer);
  if (chosen === null) {
    fail(act, invoice, false);
    return noMethod;
  }
  const kept = Store.get(act.store, PaymentIntent.paymentIntents, invoice._intent ?? '');
  const intent = kept ?? newIntent(act, invoice);
  const tried = attempt(act, intent, chosen, false);
  follow(act, tried.intent);
  return tried.refusal;
}

function newIntent(act: Act, invoice: Invoice.Invoice): PaymentIntent.PaymentIntent {
  const { amount_due: amount, currency, customer } = invoice;
  const made = PaymentIntent.create(act, {
    amount,
    currency,
    customer,
    description: 'Subscription update',
    automatic_payment_methods: null,
  });
  InvoicePayment.open(act, Invoice.update(act, invoice.id, { _intent: made.id }), made.id);
  return PaymentIntent.update(act, made, { _invoice: invoice.id });
}

/** Does to an invoice what follows from a payment for it that has just been tried, or has come to its end. */
export function follow(given: Act, intent: PaymentIntent.PaymentIntent): void {
  const invoice = Store.get(given.store, Invoice.invoices, intent._invoice ?? '');
  if (invoice?.status !== 'open') return;
  const act = TestClock.at(given, invoice.test_clock);
  switch (intent.status) {
    case 'succeeded':
      settle(act, invoice);
      break;
    case 'requires_action':
      fail(act, invoice, true);
      break;
    case 'requires_payment_method':
      fail(act, invoice, false);
  }
}

/** Ends an open invoice as paid, and gives its subscription what was paid for. */
export function settle(act: Act, invoice: Invoice.Invoice): void {
  InvoicePayment.close(act, invoice, 'paid');
  const count = invoice._intent === null ? 0 : 1;
  Invoice.markPaid(act, { ...invoice, attempt_count: invoice.attempt_count + count });
  const { id: subscriptionId, status, latest_invoice, _pending } = subscriptionOf(act, invoice);
  if (_pending?.invoice === invoice.id) {
    const applied = Subscription.update(act, subscriptionId, {
      ..._pending.change,
      latest_invoice: invoice.id,
      pending_update: null,
      _pending: null,
    });
    Event.record(act, 'customer.subscription.pending_update_applied', applied);
    return;
  }
  const wasBehind = status === 'past_due' || status === 'unpaid';
  if (status === 'incomplete' || (wasBehind && latest_invoice === invoice.id)) {
    Subscription.update(act, subscriptionId, { status: 'active' });
  }
}

function fail(act: Act, invoice: Invoice.Invoice, needsPayer: boolean): void {
  const subscription = subscriptionOf(act, invoice);
  const isRenewal = Subscription.isLive(subscription) && subscription._pending?.invoice !== invoice.id;
  const next = isRenewal ? Dunning.nextAttempt(act, invoice) : null;
  const failed = Invoice.update(act, invoice.id, {
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    auto_advance: next !== null,
    next_payment_attempt: next,
  });
  Event.record(act, 'invoice.payment_failed', failed);
  if (needsPayer) Event.record(act, 'invoice.payment_action_required', failed);
  if (!isRenewal) return;
  if (subscription.status === 'active') Subscription.update(act, subscription.id, { status: 'past_due' });
  if (next === null) Dunning.giveUp(act, subscription.id);
}

function subscriptionOf(act: Act, { parent }: Invoice.Invoice): Subscription.Subscription {
  return Subscription.of(act, parent.subscription_details.subscription);
}
