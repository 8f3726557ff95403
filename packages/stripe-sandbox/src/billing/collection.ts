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
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Dunning from './dunning.ts';

/** A payment for a bill, and why it has not gone through, where it has not. */
export type Tried = { intent: PaymentIntent.PaymentIntent; refusal: Refusal | null };

/** The card that pays for a subscription: its own, or else its customer's. */
export function methodOf(
  ctx: RequestContext,
  { default_payment_method }: Pick<Subscription.Subscription, 'default_payment_method'>,
  customer: Customer.Customer,
): PaymentMethod.PaymentMethod | null {
  const methodId = default_payment_method ?? customer.invoice_settings.default_payment_method;
  const method = Store.get(ctx.store, PaymentMethod.paymentMethods, methodId ?? '');
  // A method that was detached, as that of a deleted customer is, pays nothing any more.
  return method?.customer === customer.id ? method : null;
}

export const noMethod = invalid(
  'This customer has no attached payment source or default payment method. Give the subscription a default_payment_method, or the customer invoice_settings[default_payment_method].',
  { code: 'resource_missing' },
);

/** A payment of what the bill asks for, before there is an invoice; with `method` it is tried at once. */
export function prepay(
  ctx: RequestContext,
  bill: Invoice.Bill,
  method: PaymentMethod.PaymentMethod | null,
  offSession: boolean,
): Tried | null {
  const amount = Invoice.amountDue(bill);
  if (amount === 0) return null;
  const isNew = bill.reason === 'subscription_create';
  const intent = PaymentIntent.create(ctx, {
    amount,
    currency: bill.subscription.currency,
    customer: bill.customer.id,
    description: isNew ? 'Subscription creation' : 'Subscription update',
    setup_future_usage: isNew ? 'off_session' : undefined,
    automatic_payment_methods: null,
  });
  return method === null ? { intent, refusal: null } : attempt(ctx, intent, method, offSession);
}

function attempt(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  offSession: boolean,
): Tried {
  const result = Confirmation.confirm(ctx, intent, {
    method,
    grantedToken: null,
    offSession,
    errorOnRequiresAction: false,
    returnUrl: null,
  });
  if (isRefusal(result)) return { intent: PaymentIntent.getPaymentIntent(ctx, intent.id), refusal: result };
  return { intent: result, refusal: result.status === 'requires_action' ? actionRequired : null };
}

const actionRequired = refuse(402, {
  type: 'card_error',
  code: 'invoice_payment_intent_requires_action',
  message:
    'This payment needs a step of the payer before it can be completed, by the PaymentIntent that belongs to the invoice.',
});

/** Writes the bill and closes it at once; `resolve` is to follow when its subscription is stored. */
export function write(ctx: RequestContext, bill: Invoice.Bill): Invoice.Invoice {
  return Invoice.finalize(ctx, Invoice.draft(ctx, bill, null), bill.subscription.metadata);
}

/** Updates a finalized invoice from its payment. An invoice without an amount due is marked paid. */
export function resolve(
  ctx: RequestContext,
  invoice: Invoice.Invoice,
  intent: PaymentIntent.PaymentIntent | null,
): void {
  if (intent === null) {
    settle(ctx, invoice);
    return;
  }
  const bound = PaymentIntent.update(ctx, intent, { _invoice: invoice.id });
  const open = Invoice.update(ctx, invoice.id, { _intent: intent.id });
  InvoicePayment.openInvoicePayment(ctx, open, intent.id);
  const isTried = bound.status !== 'requires_payment_method' || bound.last_payment_error !== null;
  if (isTried) follow(ctx, bound);
}

/** Tries to pay an open invoice, by `method` or by the card that its subscription names. Null where it went through. */
export function collect(
  ctx: RequestContext,
  invoice: Invoice.Invoice,
  method?: PaymentMethod.PaymentMethod,
): Refusal | null {
  const customer = Customer.getCustomer(ctx, invoice.customer);
  const subscription = Subscription.getSubscription(ctx, Invoice.subscriptionOf(invoice));
  const chosen = method ?? methodOf(ctx, subscription, customer);
  if (chosen === null) {
    fail(ctx, invoice, false);
    return noMethod;
  }
  const kept = Store.get(ctx.store, PaymentIntent.paymentIntents, invoice._intent ?? '');
  const intent = kept ?? newIntent(ctx, invoice);
  const tried = attempt(ctx, intent, chosen, false);
  follow(ctx, tried.intent);
  return tried.refusal;
}

function newIntent(ctx: RequestContext, invoice: Invoice.Invoice): PaymentIntent.PaymentIntent {
  const { amount_due: amount, currency, customer } = invoice;
  const made = PaymentIntent.create(ctx, {
    amount,
    currency,
    customer,
    description: 'Subscription update',
    automatic_payment_methods: null,
  });
  InvoicePayment.openInvoicePayment(ctx, Invoice.update(ctx, invoice.id, { _intent: made.id }), made.id);
  return PaymentIntent.update(ctx, made, { _invoice: invoice.id });
}

/** Does to an invoice what follows from a payment for it that has just been tried, or has come to its end. */
export function follow(given: RequestContext, intent: PaymentIntent.PaymentIntent): void {
  const invoice = Store.get(given.store, Invoice.invoices, intent._invoice ?? '');
  if (invoice?.status !== 'open') return;
  const ctx = TestClock.at(given, invoice.test_clock);
  switch (intent.status) {
    case 'succeeded':
      settle(ctx, invoice);
      break;
    case 'requires_action':
      fail(ctx, invoice, true);
      break;
    case 'requires_payment_method':
      fail(ctx, invoice, false);
  }
}

/** Ends an open invoice as paid, and gives its subscription what was paid for. */
export function settle(ctx: RequestContext, invoice: Invoice.Invoice): void {
  InvoicePayment.close(ctx, invoice, 'paid');
  const count = invoice._intent === null ? 0 : 1;
  Invoice.markPaid(ctx, { ...invoice, attempt_count: invoice.attempt_count + count });
  const { id: subscriptionId, status, latest_invoice, _pending } = subscriptionOf(ctx, invoice);
  if (_pending?.invoice === invoice.id) {
    const applied = Subscription.update(ctx, subscriptionId, {
      ..._pending.change,
      latest_invoice: invoice.id,
      pending_update: null,
      _pending: null,
    });
    Event.record(ctx, 'customer.subscription.pending_update_applied', applied);
    return;
  }
  const wasBehind = status === 'past_due' || status === 'unpaid';
  if (status === 'incomplete' || (wasBehind && latest_invoice === invoice.id)) {
    Subscription.update(ctx, subscriptionId, { status: 'active' });
  }
}

function fail(ctx: RequestContext, invoice: Invoice.Invoice, needsPayer: boolean): void {
  const subscription = subscriptionOf(ctx, invoice);
  const isRenewal = Subscription.isLive(subscription) && subscription._pending?.invoice !== invoice.id;
  const next = isRenewal ? Dunning.nextAttempt(ctx, invoice) : null;
  const failed = Invoice.update(ctx, invoice.id, {
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    auto_advance: next !== null,
    next_payment_attempt: next,
  });
  Event.record(ctx, 'invoice.payment_failed', failed);
  if (needsPayer) Event.record(ctx, 'invoice.payment_action_required', failed);
  if (!isRenewal) return;
  if (subscription.status === 'active') Subscription.update(ctx, subscription.id, { status: 'past_due' });
  if (next === null) Dunning.giveUp(ctx, subscription.id);
}

function subscriptionOf(ctx: RequestContext, invoice: Invoice.Invoice): Subscription.Subscription {
  return Subscription.getSubscription(ctx, Invoice.subscriptionOf(invoice));
}
