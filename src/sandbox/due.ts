import type { Act } from './act.ts';
import * as Change from './billing/change.ts';
import * as Collection from './billing/collection.ts';
import * as Ending from './billing/ending.ts';
import * as Renewal from './billing/renewal.ts';
import * as CheckoutSession from './objects/checkout-session.ts';
import * as Confirmation from './objects/confirmation.ts';
import * as Dispute from './objects/dispute.ts';
import * as Event from './objects/event.ts';
import * as Invoice from './objects/invoice.ts';
import * as PaymentIntent from './objects/payment-intent.ts';
import * as Refund from './objects/refund.ts';
import * as Subscription from './objects/subscription.ts';
import * as Settlement from './settlement.ts';
import * as Store from './store.ts';

/** Something that happens by itself, at a second. */
type Due = { at: number; happen(act: Act): void };

/** A first payment that has not come within this time ends the subscription. */
const firstPaymentSeconds = 23 * 3_600;
/** More than this in one go is a loop, not time. */
const stepsMax = 100_000;

/**
 * Lets everything happen that is due at `until` or before, in its order and each at its own time: for the customers of
 * a test clock, or with null for everybody else.
 */
export function happen(act: Act, until: number, clock: string | null): void {
  for (let step = 0; step < stepsMax; step += 1) {
    const next = earliest(dues(act, clock));
    if (next === null || next.at > until) return;
    next.happen({ ...act, now: next.at });
  }
  throw new Error(`more than ${stepsMax} things are due before ${until}`);
}

function earliest(all: Iterable<Due>): Due | null {
  let first: Due | null = null;
  for (const due of all) if (first === null || due.at < first.at) first = due;
  return first;
}

function* dues({ store }: Act, clock: string | null): Iterable<Due> {
  for (const subscription of Store.all(store, Subscription.subscriptions)) {
    if (subscription.test_clock === clock) yield* ofSubscription(store, subscription);
  }
  for (const invoice of Store.all(store, Invoice.invoices)) {
    if (invoice.test_clock === clock) yield* ofInvoice(invoice);
  }
  if (clock === null) yield* ofPayments(store);
}

/** What test clocks do not move: pages, payments on their way, refunds and disputes. */
function* ofPayments(store: Store.Store): Iterable<Due> {
  for (const session of Store.all(store, CheckoutSession.checkoutSessions)) {
    if (session.status === 'open') {
      yield { at: session.expires_at, happen: (act) => CheckoutSession.expire(act, session) };
    }
  }
  for (const intent of Store.all(store, PaymentIntent.paymentIntents)) {
    if (intent._settles_at) {
      yield {
        at: intent._settles_at,
        happen: (act) => Settlement.follow(act, Confirmation.settle(act, intent, 'succeeded')),
      };
    }
  }
  for (const refund of Store.all(store, Refund.refunds)) {
    const { _ends: ends } = refund;
    if (ends) yield { at: ends.at, happen: (act) => Refund.end(act, refund, ends.as) };
  }
  for (const dispute of Store.all(store, Dispute.disputes)) {
    const { due_by: at } = dispute.evidence_details;
    if (at !== null && Dispute.isOpen(dispute)) yield { at, happen: (act) => Dispute.lapse(act, dispute) };
  }
}

function* ofSubscription(store: Store.Store, subscription: Subscription.Subscription): Iterable<Due> {
  const { id, created, status, pending_update } = subscription;
  if (Subscription.isLive(subscription)) {
    const { end } = Subscription.period(subscription);
    yield { at: end, happen: (act) => Renewal.renew(act, subscription) };
  }
  const first = Store.get(store, Invoice.invoices, subscription.latest_invoice ?? '');
  const payment = Store.get(store, PaymentIntent.paymentIntents, first?._intent ?? '');
  if (status === 'incomplete' && payment?.status !== 'processing') {
    yield { at: created + firstPaymentSeconds, happen: (act) => Ending.end(act, id, {}) };
  }
  if (pending_update !== null) {
    yield {
      at: pending_update.expires_at,
      happen: (act) => {
        Change.dropPending(act, subscription);
        Event.record(act, 'customer.subscription.pending_update_expired', Subscription.of(act, id));
      },
    };
  }
}

function* ofInvoice(invoice: Invoice.Invoice): Iterable<Due> {
  const { status, automatically_finalizes_at: closesAt, next_payment_attempt: triedAt } = invoice;
  if (status === 'draft' && closesAt !== null) {
    yield {
      at: closesAt,
      happen: (act) => {
        const closed = Renewal.close(act, invoice);
        if (closed.status === 'open') Collection.collect(act, closed);
      },
    };
  }
  if (status === 'open' && triedAt !== null) {
    yield { at: triedAt, happen: (act) => Renewal.retry(act, invoice) };
  }
}
